"""Fits the weights of the recapture analysis to folders of labelled photos, and reports how each fit does on the other folders.

The evidence is a sum over scores: of each a piecewise linear function of it, 0 where the photo lacks the score. Fitted by logistic
regression with a penalty, displays in focus from 1.5 pixels on against textures, photographs and displays without visible pixels;
then scaled so that it is the natural logarithm of a likelihood ratio. Each photo counts twice: as it is, and as another camera would
have developed it (a lens that spreads red and blue, color denoised, color at half resolution). Those are kept in --developed, in a
folder of the same name, and taken from there the next time: empty it when photos of the same names are others.

usage: train_recapture.py BINARY FOLDER FOLDER... [--write FILE]
"""

import argparse
import copy
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
from sklearn.linear_model import LogisticRegression

import evaluate_recapture

# In the order of the analysis.
SCORES = ("fine", "fine_frequency", "count", "coarser", "line", "chroma", "hue", "scene", "glow", "detail", "variety",
          "falloff", "high_falloff")
# Quantiles of a score at which the knots of its function lie.
KNOTS = (0.01, 0.15, 0.3, 0.5, 0.7, 0.85, 0.99)
# Inverse strength of the penalty. It is small, i.e. the penalty strong, because the simulators differ more than photos
# of either.
PENALTY = 0.1
# Displays used for fitting, by pixels of the photo per pixel of the display.
FITTED = (1.5, 6.001)
# Reported thresholds, by the share of world photos that are HIGH.
SHARES = (0.002, 0.005, 0.007, 0.01, 0.03)
# Permitted share of world photos that are HIGH.
ALLOWED = 0.007
# Threshold of a license that sets none.
DEFAULT = 2.5
# Minimum of the score `fine` that the analysis requires in addition to evidence.
FINE = 4.2


def developed(image, rng):
    """A photo as another camera would have processed it, and the JPEG settings."""
    height, width = image.shape[:2]
    channels = list(cv2.split(image))
    for channel, spread in ((0, rng.normal(0, 0.0006)), (2, rng.normal(0, 0.0006))):
        shift = rng.normal(0, 0.25, 2)
        matrix = np.array([[1 + spread, 0, shift[0] - spread * width / 2], [0, 1 + spread, shift[1] - spread * height / 2]])
        channels[channel] = cv2.warpAffine(channels[channel], matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    luma, red, blue = cv2.split(cv2.cvtColor(cv2.merge(channels), cv2.COLOR_BGR2YCrCb))
    if rng.random() < 0.7:
        sigma = float(np.exp(rng.uniform(*np.log((0.5, 1.6)))))
        red, blue = (cv2.GaussianBlur(plane, (0, 0), sigma) for plane in (red, blue))
    if rng.random() < 0.3:
        red, blue = (cv2.medianBlur(plane, 3) for plane in (red, blue))
    sampling = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420 if rng.random() < 0.8 else cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
    settings = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(78, 96)), cv2.IMWRITE_JPEG_SAMPLING_FACTOR, sampling]
    return cv2.cvtColor(cv2.merge((luma, red, blue)), cv2.COLOR_YCrCb2BGR), settings


def develop(folder, into, rows):
    """Creates the processed photos that are missing in the other folder."""
    for row in rows:
        if not (into / row["file"]).exists():
            (into / row["file"]).parent.mkdir(parents=True, exist_ok=True)
            # Deterministic: a photo is processed the same in every run.
            rng = np.random.default_rng(zlib.crc32(row["file"].encode()))
            image, settings = developed(cv2.imread(str(folder / row["file"])), rng)
            if not cv2.imwrite(str(into / row["file"]), image, settings):
                sys.exit(f"{into / row['file']} cannot be written")


class Photos:
    """Scores and labels of photos."""

    def __init__(self, rows):
        self.label = np.array([row["label"] for row in rows])
        self.kind = np.array([row.get("kind") or "" for row in rows])
        self.part = np.array([row.get("part") or "" for row in rows])
        self.pixels = np.array([evaluate_recapture.pixels(row) for row in rows])
        self.focus = np.array([row.get("focus") in ("sharp", "", None) for row in rows])
        self.scores = {name: np.array([row["scores"].get(name, np.nan) for row in rows], float) for name in SCORES}
        # Without a fine lattice or without color, a photo is never HIGH.
        self.open = np.array([row["scores"].get("fine", 0) >= FINE and "chroma" in row["scores"] for row in rows])

    def only(self, chosen):
        """A subset of the photos."""
        some = copy.copy(self)
        for name in ("label", "kind", "part", "pixels", "focus", "open"):
            setattr(some, name, getattr(self, name)[chosen])
        some.scores = {name: values[chosen] for name, values in self.scores.items()}
        return some

    def display(self, least, most):
        return (self.label == "display") & self.focus & (self.pixels >= least) & (self.pixels < most)

    def world(self):
        return np.isin(self.label, evaluate_recapture.WORLD)


def columns(values, knots):
    """For each interval between knots, how far a score has advanced in it, from 0 to 1; NaN if the score is absent. The
    penalty applies to the change of evidence between knots, so evidence stays constant where photos are few."""
    return np.clip((values[:, None] - knots[:-1]) / np.diff(knots), 0, 1)


def knots_of(photos):
    """For each score its ascending knots. They are at least a fiftieth of their range apart, for scores that mostly
    have one value."""
    found = {}
    for name in SCORES:
        values = np.concatenate([some.scores[name][some.open] for some in photos])
        quantiles = np.quantile(values[~np.isnan(values)], KNOTS)
        spread = max(quantiles[-1] - quantiles[0], 1e-3)
        kept = [quantiles[0]]
        for value in quantiles[1:]:
            kept.append(max(value, kept[-1] + spread / 50))
        found[name] = np.array(kept, np.float32).astype(float)
    return found


class Fit:
    """The fitted weights of all scores."""

    def __init__(self, photos):
        self.knots = knots_of(photos)
        features, answers, weights = [], [], []
        for some in photos:
            positive, negative = some.display(*FITTED) & some.open, (some.world() | (some.label == "control")) & some.open
            rows = positive | negative
            features.append(self.features(some)[rows])
            answers.append(positive[rows])
            # All folders have equal weight, and in each folder displays and other photos do. Among other photos,
            # frequent kinds have less weight per photo.
            rest = np.zeros(len(rows))
            for kind in set(some.kind[negative]):
                rest[negative & (some.kind == kind)] = (negative & (some.kind == kind)).sum() ** -0.5
            weights.append(np.where(positive, 0.5 / max(positive.sum(), 1), 0.5 * rest / max(rest.sum(), 1e-9))[rows])
        features, answers, weights = np.concatenate(features), np.concatenate(answers), np.concatenate(weights)
        weights *= len(weights) / weights.sum()
        # Columns have mean 0, and absent scores count as 0, i.e. as no evidence.
        self.means = np.nansum(features * weights[:, None], 0) / (~np.isnan(features) * weights[:, None]).sum(0)
        features = np.nan_to_num(features - self.means)
        model = LogisticRegression(C=PENALTY, max_iter=2000).fit(features, answers, sample_weight=weights)
        self.weights, self.constant = model.coef_[0], model.intercept_[0]
        # The penalty shrinks the evidence, so it is rescaled to a likelihood ratio.
        raw = features @ self.weights + self.constant
        scaled = LogisticRegression(C=1e6).fit(raw[:, None], answers, sample_weight=weights)
        stretch = scaled.coef_[0, 0]
        self.weights, self.constant = self.weights * stretch, self.constant * stretch + scaled.intercept_[0]

    def features(self, photos):
        return np.concatenate([columns(photos.scores[name], self.knots[name]) for name in SCORES], 1)

    def tables(self):
        """For each score its knots and the evidence at them."""
        start = 0
        for name in SCORES:
            end = start + len(self.knots[name]) - 1
            rises = self.weights[start:end]
            yield name, self.knots[name], np.concatenate([[0.0], np.cumsum(rises)]) - self.means[start:end] @ rises
            start = end

    def evidence(self, photos):
        """The evidence of each photo; the minimum if it cannot be HIGH."""
        total = np.full(len(photos.label), self.constant)
        for name, knots, weights in self.tables():
            values = photos.scores[name]
            total += np.where(np.isnan(values), 0.0, np.interp(np.nan_to_num(values), knots, weights))
        return np.where(photos.open, total, -np.inf)


def threshold_of(evidence, photos, most):
    """The smallest threshold at which at most this share of world photos is HIGH."""
    world = np.sort(evidence[photos.world()])[::-1]
    return float(np.nextafter(world[int(most * len(world))], np.inf))


def share(evidence, chosen, threshold):
    return f"{100 * np.mean(evidence[chosen] >= threshold):.1f} %" if chosen.any() else "–"


def report(name, photos, fit):
    """Reports the verdicts on photos, by threshold."""
    evidence = fit.evidence(photos)
    print(f"{name}: {photos.display(1.5, 4).sum()} displays in focus at 1.5 to 4 pixels, {photos.world().sum()} photos of the world.\n")
    print("| threshold | the world | photographs | control | displays, 1.5 to 4 | displays, 2 to 4 |\n|---|---|---|---|---|---|")
    for most in (*SHARES, None):
        threshold = DEFAULT if most is None else threshold_of(evidence, photos, most)
        cells = [photos.world(), photos.label == "photograph", photos.label == "control", photos.display(1.5, 4), photos.display(2, 4)]
        print(f"| {threshold:.2f} | " + " | ".join(share(evidence, chosen, threshold) for chosen in cells) + " |")
    threshold = threshold_of(evidence, photos, ALLOWED)
    bands = evaluate_recapture.BANDS
    print(f"\nDisplays in focus by pixels of the photo per pixel of the display, at {threshold:.2f}:\n")
    print("| | " + " | ".join(f"{least:g} to {most:.3g}" for least, most in bands) + " |\n|---" + "|---" * len(bands) + "|")
    for kind in (*sorted(set(photos.kind[photos.label == "display"])), ""):
        chosen = [photos.display(least, most) & ((photos.kind == kind) | (kind == "")) for least, most in bands]
        print(f"| {kind or '**all**'} | " + " | ".join(share(evidence, some, threshold) for some in chosen) + " |")
    wrong = photos.world() & (evidence >= threshold)
    print("\nFalse HIGH: " + ", ".join(f"{kind} {(wrong & (photos.kind == kind)).sum()}" for kind in sorted(set(photos.kind[wrong]))) + "\n")


def rust(fit):
    """The weights as a Rust module."""
    lines = ["//! What each score says, by `lab/scripts/train-recapture`: made, not written.", "",
             '#![allow(clippy::approx_constant, reason = "a weight is near a constant by chance")]', "",
             "use crate::decision::Term;", "",
             "/// The evidence of a photo whose scores say nothing.", f"pub(crate) const CONSTANT: f32 = {fit.constant:.3f};", "",
             "/// The scores that count.", f"pub(crate) const TERMS: [Term; {len(SCORES)}] = ["]
    for name, knots, weights in fit.tables():
        pairs = ", ".join(f"({knot:.4f}, {weight:.3f})" for knot, weight in zip(knots, weights, strict=True))
        lines.append(f'    Term {{ name: "{name}", knots: &[{pairs}] }},')
    return "\n".join([*lines, "];", ""])


def scored(binary, folder, rows):
    return evaluate_recapture.looked_at([binary], folder, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--developed", type=Path, default=Path("target/recapture/developed"))
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    photos, twice = [], []
    for folder in options.folders:
        rows = scored(options.binary, folder, evaluate_recapture.labelled(folder))
        rows = [{**row, "file": str(Path(row["file"]).relative_to(folder))} for row in rows]
        photos.append(Photos(rows))
        # Only photos whose verdict depends on evidence.
        decided = photos[-1].open & (photos[-1].display(*FITTED) | (photos[-1].label != "display"))
        rows = [row for row, counts in zip(rows, decided, strict=True) if counts]
        into = options.developed / folder.resolve().name
        develop(folder, into, rows)
        twice.append([photos[-1], Photos(scored(options.binary, into, rows))])
    for number, folder in enumerate(options.folders):
        others = [part for other, parts in enumerate(twice) if other != number for part in parts]
        if others:
            report(f"Fitted to the others, measured on {folder.name}", photos[number], Fit(others))
        if (reported := photos[number].part == "Reported").any():
            fit = Fit([part.only(part.part != "Reported") for part in twice[number]])
            report(f"Fitted to one part of {folder.name}, measured on its other", photos[number].only(reported), fit)
    fit = Fit([part for parts in twice for part in parts])
    for number, folder in enumerate(options.folders):
        report(f"Fitted to all, measured on {folder.name}", photos[number], fit)
    if options.write:
        options.write.write_text(rust(fit), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
