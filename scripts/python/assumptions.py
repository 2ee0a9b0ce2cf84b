"""Runs the checks of docs/aws-assumptions.md: each assumption's bash block, preceded by those of the page's
introduction.

Exit status 0 of a check means that its assumption holds, and 1 that it does not. Any other status, such as the AWS
CLI's 254 for a missing permission, means that it could not be checked. The stack's outputs are in the environment.

usage: assumptions.py      (by scripts/check-assumptions)"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parent.parent.parent / "docs/aws-assumptions.md"
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = 120  # timeout of one check
AT_ONCE = 8  # concurrent checks; they mostly wait for AWS and do not affect each other

HOLDS, FAILS, UNKNOWN = "holds", "does not hold", "not checked here"


class Assumption(NamedTuple):
    sentence: str
    text: str
    checks: list


def assumptions(page):
    """The bash blocks of the introduction, and the assumptions, each of which is a third-level heading."""
    introduction, *sections = re.split(r"^### ", page, flags=re.MULTILINE)
    found = []
    for section in sections:
        sentence, _, text = section.partition("\n")
        text = re.split(r"^## ", text, flags=re.MULTILINE)[0]
        found.append(Assumption(sentence, text, BLOCK.findall(text)))
    return "".join(BLOCK.findall(introduction)), found


def state(code):
    """The meaning of a check's exit status."""
    return {0: HOLDS, 1: FAILS}.get(code, UNKNOWN)


def outcome(common, check):
    """Runs a check; returns its result and output."""
    command = ["timeout", str(SECONDS), "bash", "-euo", "pipefail", "-c", common + check]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         errors="replace", check=False)
    return state(run.returncode), run.stdout.strip()


def report(page):
    """Prints one line per assumption, with the check's output unless it holds, and then a summary."""
    common, found = assumptions(page)
    counts = {HOLDS: 0, FAILS: 0, UNKNOWN: 0}

    def checked(assumption):
        return outcome(common, assumption.checks[0]) if assumption.checks else (UNKNOWN, "")

    with ThreadPoolExecutor(AT_ONCE) as checks:
        for assumption, (result, printed) in zip(found, checks.map(checked, found)):
            counts[result] += 1
            yield f"{result:<16}  {assumption.sentence}"
            if result != HOLDS:
                yield from (f"{'':<16}  | {line}" for line in printed.splitlines())
    yield f"{counts[HOLDS]} hold, {counts[FAILS]} do not, {counts[UNKNOWN]} were not checked"


def main():
    for line in report(PAGE.read_text(encoding="utf-8")):
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
