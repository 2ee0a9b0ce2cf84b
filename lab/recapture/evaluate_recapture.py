"""Prints what the recapture analysis says of a folder of labelled photos, as Markdown tables.

A photo's label is one of display, control (a display without visible pixels), texture and photograph. It is in the table
labels.tsv (columns: file and label, perhaps kind, pixels (of the photo per pixel of the display), focus, and others), or the name of
the folder in the folder. Photos that cannot be decoded are named, and do not count.

usage: evaluate_recapture.py BINARY FOLDER [--by COLUMN]... [--threshold EVIDENCE]
"""

import argparse
import csv
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

LABELS = ("display", "control", "texture", "photograph")
WORLD = ("texture", "photograph")
BANDS = ((1.2, 1.5), (1.5, 2), (2, 2.5), (2.5, 3), (3, 4), (4, 6.001))
# Files passed to the command at once, because the length of arguments is limited.
AT_ONCE = 200


def labelled(folder):
    """Lists the photos of a folder with their labels, as dictionaries with at least `file` and `label`."""
    table = folder / "labels.tsv"
    if table.exists():
        with open(table, encoding="utf-8", newline="") as source:
            rows = list(csv.DictReader(source, delimiter="\t"))
    else:
        found = ((path, path.relative_to(folder)) for label in LABELS for path in sorted((folder / label).rglob("*")))
        rows = [{"file": str(name), "label": name.parts[0]} for path, name in found if path.suffix.lower() in (".jpg", ".jpeg")]
    unknown = sorted({row["label"] for row in rows} - set(LABELS))
    if unknown or not rows:
        sys.exit(f"{folder}: {'no labelled photos' if not rows else 'unknown labels: ' + ', '.join(unknown)}")
    return rows


def looked_at(command, folder, rows):
    """The rows with `risk`, `scores` and `cpu_ms`. Photos that could not be decoded are reported and left out."""
    by_file = {str(folder / row["file"]): row for row in rows}
    files, seen = list(by_file), []
    for start in range(0, len(files), AT_ONCE):
        done = subprocess.run([*command, *files[start:start + AT_ONCE]], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(done.stderr.strip() or f"{command[0]} ended with {done.returncode}")
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            if "error" in answer:
                print(f"{answer['file']}: {answer['error']}", file=sys.stderr)
            else:
                seen.append({**by_file[answer["file"]], **answer})
    return seen


def share(rows, risk="HIGH"):
    """The share of rows with a verdict, for a table cell."""
    if not rows:
        return ""
    count = sum(row["risk"] == risk for row in rows)
    return f"{100 * count / len(rows):.1f} % of {len(rows)}"


def pixels(row):
    """Pixels of the photo per pixel of the display; 0 if unknown."""
    return float(row.get("pixels") or 0)


def displays_in_focus(rows, least, most):
    return [row for row in rows if row["label"] == "display" and row.get("focus") in ("sharp", "", None) and least <= pixels(row) < most]


def table(heading, lines):
    """A Markdown table."""
    print("| " + " | ".join(heading) + " |\n|" + "---|" * len(heading))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def grouped(rows, column):
    """Groups rows by a column's value. Columns with many numbers are split into four groups of similar size."""
    values = sorted({row.get(column) or "" for row in rows})
    try:
        numbers = sorted(float(row[column]) for row in rows if row.get(column))
    except ValueError:
        numbers = []
    groups = defaultdict(list)
    if len(set(numbers)) <= 6:
        for row in rows:
            groups[row.get(column) or "none"].append(row)
        return [(value, groups[value]) for value in (values if "" not in values else values[1:] + ["none"]) if groups[value]]
    edges = [numbers[round(i * (len(numbers) - 1) / 4)] for i in range(5)]
    for row in rows:
        if row.get(column):
            place = max(i for i in range(4) if float(row[column]) >= edges[i])
            groups[place].append(row)
    return [(f"{edges[i]:g} to {edges[i + 1]:g}", groups[i]) for i in range(4) if groups[i]]


def report(rows, columns):
    """All tables."""
    lines = []
    for name, least, most in (("displays in focus, 1.5 to 4 pixels", 1.5, 4), ("displays in focus, 2 to 4 pixels", 2, 4)):
        lines.append((name, displays_in_focus(rows, least, most)))
    for label in LABELS:
        lines.append((f"{label}s" + (", all" if label == "display" else ""), [row for row in rows if row["label"] == label]))
    world = [row for row in rows if row["label"] in WORLD]
    lines.append(("textures and photographs", world))
    table(("", "HIGH", "UNKNOWN"), [(name, share(some), share(some, "UNKNOWN")) for name, some in lines if some])
    if any(pixels(row) for row in rows):
        print("Displays in focus by pixels of the photo per pixel of the display, HIGH:\n")
        kinds = sorted({row.get("kind") or "" for row in rows if row["label"] == "display"})
        sharp = displays_in_focus(rows, *BANDS[0][:1], BANDS[-1][1])
        cells = [[kind, *(share([row for row in sharp if row.get("kind") == kind and least <= pixels(row) < most]) for least, most in BANDS)]
                 for kind in kinds]
        cells.append(["**all**", *(share([row for row in sharp if least <= pixels(row) < most]) for least, most in BANDS)])
        table(("", *(f"{least:g} to {most:.0f}" if most > 6 else f"{least:g} to {most:g}" for least, most in BANDS)), cells)
    by_kind = grouped(world, "kind")
    wrong = [(kind, share(some), share(some, "UNKNOWN")) for kind, some in by_kind if any(row["risk"] == "HIGH" for row in some)]
    if wrong:
        print("The world that is HIGH, by kind:\n")
        table(("", "HIGH", "UNKNOWN"), wrong)
    for column in columns:
        print(f"Displays in focus, 1.5 to 4 pixels, by {column}:\n")
        some = displays_in_focus(rows, 1.5, 4)
        table((column, "HIGH", "UNKNOWN"), [(value, share(group), share(group, "UNKNOWN")) for value, group in grouped(some, column)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--by", action="append", default=[])
    parser.add_argument("--threshold", type=float)
    options = parser.parse_args()
    command = [options.binary] + (["--threshold", str(options.threshold)] if options.threshold is not None else [])
    rows = looked_at(command, options.folder, labelled(options.folder))
    report(rows, options.by)
    times = sorted(row["cpu_ms"] for row in rows)
    if times:
        print(f"CPU a photo, decoding included: median {times[len(times) // 2]:.1f} ms, from {times[0]:.1f} to {times[-1]:.1f} ms.")


if __name__ == "__main__":
    main()
