"""Makes photos of displays and of the world, and a table of what each is. See README.md; run by lab/scripts/simulate-displays."""

import argparse
import os
import sys
from multiprocessing import Pool
from pathlib import Path

import cv2
import numpy as np

import camera as cameras
import displays
import encoders
import textures
from geometry import View
from pictures import Photographs, dead_leaves, linear, part, shown

COLUMNS = ("file", "label", "kind", "pixels", "focus", "width", "height", "quality", "sampling", "encoder", "sensor", "blur", "motion",
           "demosaic", "denoise", "chroma_denoise", "median", "sharpen", "scaling", "full_well", "tilt", "exposure", "frames", "content",
           "period", "bands")
SIZES = {(1920, 1080): 0.46, (1280, 720): 0.27, (1080, 1920): 0.1, (2560, 1440): 0.1, (720, 1280): 0.05, (4000, 3000): 0.02}
LABELS = {"display": 0.45, "control": 0.05, "texture": 0.28, "photograph": 0.22}


def choose(rng, weights):
    names = list(weights)
    chances = np.array(list(weights.values()))
    return names[int(rng.choice(len(names), p=chances / chances.sum()))]


def view_of(rng, fine, units, center):
    """A random view of a plane, with this many of its units per fine sample in the middle."""
    quarter = rng.choice([0.0, np.pi / 2], p=[0.85, 0.15])
    lateral = rng.normal(0, 0.00025, 2)
    return View(fine[0], fine[1], units * fine[1], center, rotation=quarter + rng.normal(0, 0.045), tilt=abs(rng.normal(0, 0.13)),
                tilt_direction=rng.uniform(0, 2 * np.pi), distortion=rng.normal(0, 0.012), lateral=(lateral[0], 0.0, lateral[1]),
                skew=rng.normal(0, 0.003), wobble=rng.normal(0, 0.0003), focal=rng.uniform(0.9, 1.6))


def bands(light, rng):
    """A pulsing backlight or pulsing pixels with a rolling shutter: bands across the frame, sometimes deep."""
    depth, count = rng.uniform(0.01, 0.25), rng.uniform(0.5, 30)
    rows = np.arange(light.shape[0]) / light.shape[0]
    wave = np.sin(2 * np.pi * (count * rows + rng.random()))
    if rng.random() < 0.4:
        wave = np.clip(3 * wave, -1, 1)
    light *= (1 - depth * (0.5 + 0.5 * wave)).astype(np.float32)[:, None, None]
    return depth


def display(rng, camera, photographs, continuous):
    """The light of a random display."""
    kind = str(rng.choice(displays.KINDS, p=np.array([5, 2, 2, 1.5, 1.5, 4, 1.5, 1, 1, 1, 1.5]) / 22))
    pixels = float(np.exp(rng.uniform(*np.log([(1.2, 1.5), (1.5, 4), (1.5, 4), (1.5, 4), (4, 6)][int(rng.integers(5))]))))
    if kind == "LED wall":
        pixels = max(pixels, 1.6)
    fine = cameras.fine_size(camera)
    units = 1 / (pixels * camera["sensor"] * cameras.SUPERSAMPLING)
    seen = rng.uniform(1.02, 1.5) if rng.random() < 0.8 else rng.uniform(0.75, 1.0)
    diagonal = int(1.25 * max(fine) * units * seen) + 8
    size = (diagonal, diagonal if rng.random() < 0.3 else int(diagonal * 0.8))
    name, codes = shown(size, photographs, rng)
    content = linear(codes) * rng.uniform(0.85, 1)
    if rng.random() < 0.25:
        # A six-bit panel dithers values between its levels.
        steps = 63 * (content ** (1 / 2.2))
        order = np.array([[0, 2], [3, 1]], np.float32)
        tiled = np.tile(order, (size[1] // 2 + 1, size[0] // 2 + 1))[:size[1], :size[0], None]
        content = (np.floor(steps + (tiled + 0.5) / 4) / 63).astype(np.float32) ** 2.2
    view = view_of(rng, fine, units, (size[0] / 2 + rng.normal(0, 2), size[1] / 2 + rng.normal(0, 2)))
    light = np.zeros((fine[1], fine[0], 3), np.float32)
    layout = displays.layout(kind, rng)
    black = 0.0 if "OLED" in kind else rng.uniform(0.0005, 0.003)
    if continuous:
        displays.render_continuous(light, np.ascontiguousarray(content), view.numbers(), black)
    else:
        displays.render(light, np.ascontiguousarray(content), layout.emitters, layout.gains(), layout.width, layout.height, layout.slant,
                        view.numbers(), 1.5 * units, black)
    if rng.random() < 0.35:
        # Reflections: smooth light from the room.
        y, x = np.ogrid[0:1:fine[1] * 1j, 0:1:fine[0] * 1j]
        spot = np.exp(-((x - rng.random()) ** 2 + (y - rng.random()) ** 2) * rng.uniform(2, 20))
        light += (rng.uniform(0.005, 0.08) * spot).astype(np.float32)[..., None]
    depth = bands(light, rng) if rng.random() < 0.4 else 0.0
    told = {"kind": kind, "tilt": round(float(np.degrees(view.tilt)), 1), "content": name, "bands": round(depth, 3)}
    if not continuous:
        told["pixels"] = round(pixels, 3)
    return light, told


def texture(rng, camera, kernels):
    """A texture under two lamps."""
    kind = choose(rng, dict.fromkeys(textures.KINDS, 1.0))
    function, shortest, longest = textures.KINDS[kind]
    period = float(np.exp(rng.uniform(np.log(shortest), np.log(longest))))
    fine = cameras.fine_size(camera)
    units = 1 / (period * camera["sensor"] * cameras.SUPERSAMPLING)
    view = view_of(rng, fine, units, tuple(rng.uniform(1e3, 2e3, 2)))
    light = np.zeros((fine[1], fine[0], 3), np.float32)
    base = rng.uniform(0.08, 0.9, (6, 1)) * (1 + rng.normal(0, rng.choice([0.05, 0.2, 0.45]), (6, 3)))
    colors = np.clip(base, 0.02, 0.95)
    colors[4], colors[5] = rng.uniform(0.02, 0.12) * np.ones(3), rng.uniform(0.6, 0.92) * (1 + rng.normal(0, 0.04, 3))
    warm = lambda: 1 + np.clip(rng.normal(0, rng.choice([0.05, 0.25]), 3), -0.7, 0.7)
    dark = rng.choice([0.0, rng.uniform(0.3, 0.9)], p=[0.6, 0.4])
    lamps = np.array([rng.uniform(0.4, 1), rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), rng.uniform(0, 1.5) * (rng.random() < 0.5),
                      rng.uniform(2, 30), rng.random(), rng.random(), dark, rng.uniform(-0.2, 1.2), rng.uniform(-1, 1), *warm(), *warm()])
    if kind not in kernels:
        kernels[kind] = textures.kernel(function)
    kernels[kind](light, view.numbers(), rng.uniform(0.85, 1.15), units, rng.random(4), colors.astype(np.float64), textures.noise_table(rng), lamps)
    np.clip(light, 0, None, out=light)
    return light, {"kind": kind, "tilt": round(float(np.degrees(view.tilt)), 1), "period": round(period, 2)}


def photograph(rng, camera, photographs):
    """A scene without a fine period: a photograph or dead leaves."""
    size = tuple(side // cameras.SUPERSAMPLING for side in cameras.fine_size(camera))
    if rng.random() < 0.4:
        name, codes = photographs.named(int(rng.integers(1 << 30)))
        codes, kind = part(codes, size, rng, 0.75), "packaged"
    else:
        name, codes, kind = "leaves", dead_leaves(size, rng), "dead leaves"
    light = linear(codes)
    fine = cv2.resize(light, tuple(cameras.fine_size(camera)), interpolation=cv2.INTER_LINEAR)
    return fine, {"kind": kind, "content": name}


def photo(seed, number, folder, photographs, kernels):
    """Creates one photo unless its file exists; returns its row of the table."""
    rng = np.random.default_rng([seed, number])
    label = choose(rng, LABELS)
    size = choose(rng, SIZES)
    camera = cameras.draw(rng, size)
    settings = encoders.draw(rng)
    name = f"{label}-{seed}-{number:05}.jpg"
    row_file = folder / "rows" / f"{name}.tsv"
    if (folder / name).exists() and row_file.exists():
        return
    if label in ("display", "control"):
        light, told = display(rng, camera, photographs, label == "control")
    elif label == "texture":
        light, told = texture(rng, camera, kernels)
    else:
        light, told = photograph(rng, camera, photographs)
    codes = cameras.seen(light, camera, rng)
    row = {**{key: (round(value, 3) if isinstance(value, float) else value) for key, value in camera.items()}, **settings, **told,
           "file": name, "label": label}
    (folder / name).write_bytes(encoders.encode(codes, settings))
    row_file.write_text("\t".join(str(row.get(column, "")) for column in COLUMNS) + "\n", encoding="utf-8")


def work(arguments):
    folder, photographs, seeds, photos, first, jobs = arguments
    cv2.setNumThreads(1)
    pictures, kernels = Photographs(photographs), {}
    for seed in seeds:
        for number in range(first, photos, jobs):
            photo(seed, number, folder, pictures, kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--photographs", type=Path, required=True)
    parser.add_argument("--photos", type=int, default=1200)
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seeds = options.seed or [1]
    (options.folder / "rows").mkdir(parents=True, exist_ok=True)
    each = [(options.folder, options.photographs, seeds, options.photos, first, options.jobs) for first in range(options.jobs)]
    with Pool(options.jobs) as pool:
        pool.map(work, each)
    rows = sorted((options.folder / "rows").glob("*.tsv"))
    with open(options.folder / "labels.tsv", "w", encoding="utf-8") as table:
        table.write("\t".join(COLUMNS) + "\n")
        table.writelines(row.read_text(encoding="utf-8") for row in rows)


if __name__ == "__main__":
    sys.exit(main())
