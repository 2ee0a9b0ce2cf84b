"""Reduces an SBOM to the crates of one binary.

cargo-cyclonedx resolves the features of the whole workspace at once, tests included, and so lists crates that a function
does not contain. `cargo tree` resolves those of one package: crates that it does not list are removed. References of our
own crates lose the path of the machine.

usage: cargo tree … --format '{p}' | sbom.py DESCRIBED.json WRITTEN.json   (by scripts/sbom)
"""

import json
import sys
from pathlib import Path


def linked(lines):
    """The crates of `cargo tree` as pairs of name and version; the first line is the package itself."""
    return {(words[0], words[1].removeprefix("v")) for words in map(str.split, list(lines)[1:]) if words}


def reduced(bom, crates):
    components = [each for each in bom["components"] if (each["name"], each["version"]) in crates]
    if missing := crates - {(each["name"], each["version"]) for each in components}:
        sys.exit(f"not in the SBOM: {sorted(missing)}")
    kept = {each["bom-ref"] for each in [*components, bom["metadata"]["component"]]}
    dependencies = [{**each, "dependsOn": [ref for ref in each.get("dependsOn", []) if ref in kept]}
                    for each in bom["dependencies"] if each["ref"] in kept]
    return {**bom, "components": components, "dependencies": dependencies}


def without_paths(bom, root):
    """References of our own crates, which are `path+file:///…/shared/storage#0.1.0`, relative to the workspace."""
    return json.loads(json.dumps(bom).replace(f"path+file://{root}/", ""))


def main(described, written):
    path = Path(described)
    bom = reduced(json.loads(path.read_text(encoding="utf-8")), linked(sys.stdin))
    bom = without_paths(bom, path.resolve().parents[2])
    Path(written).write_text(json.dumps(bom, indent=1), encoding="utf-8")
    print(f"{written}: {len(bom['components'])} crates")


if __name__ == "__main__":
    main(*sys.argv[1:])
