#!/usr/bin/env python3
"""Evaluates the fingerprint of photos (shared/fingerprint): whether it is that of the reference code, which copies it finds,
and which pictures it confuses. Prints Markdown tables, and fails if a demand is not met.

usage: evaluate.py BINARY --photographs FOLDER... --wallpapers FOLDER [--part N] [--jobs N] [--results FILE]
"""

import argparse
import itertools
import json
import multiprocessing
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np

import copies
import pictures
import vectors

# Two pictures are likely the same up to LIKELY bits, and are compared by their pixels up to CANDIDATE.
LIKELY, CANDIDATE = 24, 72
GENERATED = {"document": 500, "dashboard": 500, "form": 300, "car": 500}
# Of these groups copies are made; photos of prints of a tenth of the frames. Tiles are parts of drawings, smoother than
# what a camera sees.
GROUPS = {
    "photographs": ("photograph",), "photographs at night": ("night",), "documents, dashboards": ("document", "dashboard"),
    "tiles": ("tile",),
}
COPIED = tuple(group for groups in GROUPS.values() for group in groups)
CAMERA = ("photograph", "night", "document", "dashboard")
UNRELATED = ("photograph", "tile", "document", "dashboard")
MESSENGERS = ("WhatsApp: 1600 px, quality 70", "the same, compressed again", "Telegram: 1280 px, quality 80")
REFERENCE_PICTURES = 10_000


class Fingerprints:
    """The command that computes fingerprints."""

    def __init__(self, binary):
        self.command = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def of(self, kind, data):
        self.command.stdin.write(kind.encode() + b"\n" + data)
        self.command.stdin.flush()
        return json.loads(self.command.stdout.readline())

    def of_image(self, kind, image):
        return self.of(f"{kind} {image.width} {image.height}", image.tobytes())

    def of_jpeg(self, jpeg):
        return self.of(f"jpeg {len(jpeg)}", jpeg)


fingerprints = None


def start(binary):
    global fingerprints
    np.seterr(over="ignore")
    fingerprints = Fingerprints(binary)


def bits(code):
    return np.frombuffer(bytes.fromhex(code), np.uint8)


def distance(one, other):
    return int(np.bitwise_count(bits(one) ^ bits(other)).sum())


# What is computed of each picture.


def compared(seed):
    """Whether pixels and code of a generated picture are those of the reference code; None for a code not computed."""
    rng = pictures.seeded("reference", seed)
    width = round(2 ** rng.uniform(0, 9.5))
    # Pillow scales pictures that are more than a hundred times as tall as wide in another order.
    height = min(100 * width, round(2 ** rng.uniform(0, 9.5)))
    image = vectors.picture(width, height, seed)
    pixels, code = vectors.reference(image)
    ours = fingerprints.of_image("rgb", image)
    same = [one["code"] == code for one in ours["codes"]]
    return ours["pixels"] == pixels, same[0] if same else None


def looked_at(task):
    """The codes of frames and of their copies, and how far the code of the samples Y is from that of Pillow's pixels."""
    kind, of = task
    seen = []
    for frame in pictures.frames(kind, of):
        original = fingerprints.of_jpeg(frame.jpeg)
        codes = original["codes"]
        pixels = bytes.fromhex(original["pixels"])
        row = {
            "name": frame.name, "group": frame.group, "origin": frame.origin, "range": max(pixels) - min(pixels), "code": None,
            "copies": {},
        }
        seen.append(row)
        if not codes:
            continue
        image = frame.decoded()
        row["code"], row["bands"] = codes[0]["code"], codes[0]["bands"]
        row["decoder"] = distance(row["code"], vectors.reference(image)[1])
        if frame.group in COPIED:
            for name, copy in copies.KINDS.items():
                left_out = copy is copies.printed and zlib.crc32(frame.name.encode()) % 10
                if left_out or (frame.group == "night" and name not in MESSENGERS[:2]):
                    continue
                found = fingerprints.of_image("copy", copy(image, pictures.seeded(frame.name, name)))["codes"]
                row["copies"][name] = [(one["code"], one["bands"]) for one in found]
    return seen


def run(arguments):
    """The rows of all frames, and the comparison with the reference code."""
    photographs = [str(path) for folder in arguments.photographs for path in sorted(folder.glob("*.*"))]
    tasks = [("photograph", path) for path in photographs] + [("night", path) for path in photographs]
    tasks += [("tile", str(path)) for path in sorted(arguments.wallpapers.glob("*.*"))]
    tasks += [(kind, index) for kind, count in GENERATED.items() for index in range(count)]
    tasks = tasks[:: arguments.part]
    with multiprocessing.Pool(arguments.jobs, start, (str(arguments.binary),)) as pool:
        same = pool.map(compared, range(REFERENCE_PICTURES // arguments.part), 50)
        rows = []
        for done, found in enumerate(pool.imap(looked_at, tasks), 1):
            rows += found
            if done % 100 == 0:
                print(f"{done} of {len(tasks)}", file=sys.stderr)
    return {"reference": same, "rows": rows}


# Tables.


def table(head, rows):
    print("\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def quantiles(values):
    """The median, 95 % and the most."""
    return " / ".join(f"{np.quantile(values, share, method='higher'):.0f}" for share in (0.5, 0.95, 1))


def near(bands, other, radius):
    """Whether two codes have a band in common in which at most so many bits differ."""
    return bool((np.bitwise_count(np.array(bands, np.uint16) ^ np.array(other, np.uint16)) <= radius).any())


class Copies:
    """The copies of one kind of some groups of originals."""

    def __init__(self, rows, groups, name):
        self.codes = [(row, row["copies"][name]) for row in rows if row["group"] in groups and name in row["copies"]]

    def count(self):
        return f"{len(self.codes):,}"

    def first(self):
        """How far the code of each copy is; 256 if the copy is too uniform."""
        return np.array([distance(row["code"], codes[0][0]) if codes else 256 for row, codes in self.codes])

    def found_by(self, radius, hypotheses=None):
        """Which are found: by bands of so many hypotheses in which at most so many bits differ, if the code is near enough."""
        return [
            any(near(row["bands"], bands, radius) and distance(row["code"], code) <= CANDIDATE for code, bands in codes[:hypotheses])
            for row, codes in self.codes
        ]

    def share(self, of):
        return np.sum(of) / len(self.codes)

    def bits(self):
        return f"{quantiles(self.first())} ({self.percent(self.first() <= LIKELY)})" if self.codes else ""

    def found(self):
        if not self.codes:
            return ""
        return ", ".join(self.percent(of) for of in (self.found_by(0, 1), self.found_by(0), self.found_by(1)))

    def percent(self, of):
        return f"{100 * self.share(of):.1f} %"


class Judgement:
    def __init__(self, results):
        self.results = results
        self.rows = [row for row in distinct(results["rows"]) if row["code"]]
        self.failed = []

    def demand(self, what, met):
        if not met:
            self.failed.append(what)

    def of_reference(self):
        same = self.results["reference"]
        codes = [code for _, code in same if code is not None]
        pixels = sum(pixels for pixels, _ in same)
        print(f"Of {len(same):,} generated pictures, the 32 × 32 pixels of {pixels:,} are Pillow's.")
        print(f"Of {len(codes):,} codes, {sum(codes):,} are iscc-core's; the other pictures are too uniform for a code.")
        self.demand("pixels and codes of the reference code", pixels == len(same) and all(codes))
        apart = np.array([row["decoder"] for row in self.rows])
        print(f"Bits between the code of the samples Y and that of Pillow's decoder, median / 95 % / most: {quantiles(apart)}.")

    def of_frames(self):
        rows = []
        for group in sorted({row["group"] for row in self.results["rows"]}):
            all_of = [row for row in self.results["rows"] if row["group"] == group]
            uniform = sum(row["code"] is None for row in all_of)
            rows.append((group, len(all_of), uniform, sum(row["group"] == group for row in self.rows)))
        table(("Frames", "Made", "Too uniform", "Distinct, with a code"), rows)

    def of_copies(self):
        """How far copies are from their originals, and what finds them."""
        distances, found = [], []
        for name in copies.KINDS:
            cells = {title: Copies(self.rows, groups, name) for title, groups in GROUPS.items()}
            distances.append((name, *(cell.bits() for cell in cells.values())))
            found.append((name, *(cell.found() for cell in cells.values())))
            self.judge(name)
        for title, rows in (
            (f"Bits between copy and original, median / 95 % / most (within {LIKELY})", distances),
            ("Found by equal bands of the copy's code, of all hypotheses, by bands within one bit of all hypotheses", found),
        ):
            count = [Copies(self.rows, groups, next(iter(copies.KINDS))).count() for groups in GROUPS.values()]
            table((title, *(f"{group}: {count}" for group, count in zip(GROUPS, count, strict=True))), rows)

    def judge(self, name):
        """Demands on what the camera might have seen, and on everything."""
        camera, every = (Copies(self.rows, groups, name) for groups in (CAMERA, COPIED))
        if name in MESSENGERS and camera.codes:
            self.demand(f"{name}: within {LIKELY}", camera.share(camera.first() <= LIKELY) >= 0.995)
            self.demand(f"{name}: found", every.share(every.found_by(1)) >= 0.99)
        elif name.startswith("brightness") and camera.codes:
            self.demand(f"{name}: within 48", camera.share(camera.first() <= 48) >= 0.97)
        elif name.startswith(("screenshot", "crop")) and camera.codes:
            share = Copies(self.rows, ("photograph",), name) if name.startswith("screenshot") else every
            self.demand(f"{name}: found", share.share(share.found_by(1)) >= 0.9)

    def of_index(self):
        """Bands within one bit against a comparison with all codes."""
        codes = np.stack([bits(row["code"]) for row in self.rows])
        bands = np.array([row["bands"] for row in self.rows], np.uint16)
        missed, within, selected = 0, 0, []
        for row in self.rows:
            for found in row["copies"].values():
                for code, of in found[:1]:
                    distances = np.bitwise_count(codes ^ bits(code)).sum(axis=1)
                    apart = np.bitwise_count(bands ^ np.array(of, np.uint16)).min(axis=1)
                    within += (distances <= 31).sum()
                    missed += ((distances <= 31) & (apart > 1)).sum()
                    selected.append([np.mean(apart == 0), np.mean(apart <= 1)])
        print(f"\nOf {within:,} codes within 31 bits of {len(selected):,} queries, bands within one bit miss {missed}.")
        equal, near_ones = 100 * np.mean(selected, axis=0)
        print(f"A query selects {equal:.2f} % of all codes by equal bands, and {near_ones:.1f} % by bands within one bit.")
        self.demand("the index is exact", missed == 0)

    def of_pairs(self):
        """Pairs of originals that are no copies of each other."""
        of_group = {}
        for row in self.rows:
            of_group.setdefault(row["group"], []).append(row)
        rows, total, likely = [], 0, 0
        for one, other in itertools.combinations_with_replacement(UNRELATED, 2):
            pairs = self.pairs(of_group.get(one, []), of_group.get(other, []), lambda a, b: a["origin"] != b["origin"])
            total, likely = total + len(pairs), likely + (pairs <= LIKELY).sum()
            rows.append((f"{one}, {other}", *pair_cells(pairs)))
        rows.append(("tiles of one wallpaper", *pair_cells(self.same_wallpaper(of_group.get("tile", [])))))
        for group, name in (
            ("night", "two photographs at night"), ("form", "one form, other people"),
            ("car", "one car, other places and colors"),
        ):
            pairs = self.pairs(of_group.get(group, []), of_group.get(group, []), lambda a, b: a["name"] != b["name"])
            rows.append((name, *pair_cells(pairs)))
        table(("Two originals", "Pairs", "Least bits", f"≤ {LIKELY}", f"≤ {CANDIDATE}"), rows)
        print(f"Of {total:,} unrelated pairs, {likely} are within {LIKELY} bits.")
        self.demand("no unrelated pair is likely the same", likely == 0)

    def of_false_candidates(self):
        """The hypotheses of copies against originals that they are no copies of."""
        rows = [row for row in self.rows if row["group"] in UNRELATED]
        codes = np.stack([bits(row["code"]) for row in rows])
        origins = np.array([row["origin"] for row in rows])
        lines = []
        for name in (MESSENGERS[0], "crop of up to 10 % an axis", "screenshot with signs"):
            least, pairs, likely, candidates = 256, 0, 0, 0
            for row in rows:
                found = row["copies"].get(name) or []
                others = codes[origins != row["origin"]]
                best = np.full(len(others), 256, np.int64)
                for code, _ in found:
                    best = np.minimum(best, np.bitwise_count(others ^ bits(code)).sum(axis=1, dtype=np.int64))
                least = min(least, best.min(initial=256))
                pairs, likely = pairs + len(best), likely + (best <= LIKELY).sum()
                candidates += (best <= CANDIDATE).sum()
            lines.append((name, f"{pairs:,}", least, likely, candidates))
        table(("All hypotheses of a copy, and another original", "Pairs", "Least bits", f"≤ {LIKELY}", f"≤ {CANDIDATE}"), lines)

    @staticmethod
    def pairs(ones, others, counts):
        """The distances of pairs; each pair once if both lists are the same."""
        found = []
        codes = np.stack([bits(row["code"]) for row in others]) if others else np.zeros((0, 32), np.uint8)
        for index, row in enumerate(ones):
            start = index + 1 if ones is others else 0
            distances = np.bitwise_count(codes[start:] ^ bits(row["code"])).sum(axis=1)
            found.append(distances[[counts(row, other) for other in others[start:]]])
        return np.concatenate(found) if found else np.array([], int)

    def same_wallpaper(self, tiles):
        return self.pairs(tiles, tiles, lambda a, b: a["origin"] == b["origin"])


def pair_cells(pairs):
    return f"{len(pairs):,}", pairs.min(initial=256), (pairs <= LIKELY).sum(), (pairs <= CANDIDATE).sum()


def distinct(rows):
    """The rows without photographs that another package has, too."""
    kept = []
    for row in rows:
        same = row["code"] and row["group"] == "photograph" and any(
            other["group"] == "photograph" and other["code"] and distance(row["code"], other["code"]) <= LIKELY for other in kept
        )
        if not same:
            kept.append(row)
    return kept


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    parser.add_argument("--photographs", type=Path, nargs="+", required=True)
    parser.add_argument("--wallpapers", type=Path, required=True)
    parser.add_argument("--part", type=int, default=1, help="only one of so many frames")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=Path, help="where the codes are kept; if the file exists, they are not computed again")
    arguments = parser.parse_args()
    if arguments.results and arguments.results.exists():
        results = json.loads(arguments.results.read_text(encoding="utf-8"))
    else:
        results = run(arguments)
        if arguments.results:
            arguments.results.write_text(json.dumps(results), encoding="utf-8")
    judgement = Judgement(results)
    judgement.of_reference()
    judgement.of_frames()
    judgement.of_copies()
    judgement.of_index()
    judgement.of_pairs()
    judgement.of_false_candidates()
    for failed in judgement.failed:
        print(f"not met: {failed}", file=sys.stderr)
    return 1 if judgement.failed else 0


if __name__ == "__main__":
    sys.exit(main())
