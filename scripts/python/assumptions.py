"""Runs the checks of docs/aws-assumptions.md: the bash block of each assumption, after those of the page's introduction.

A check that exits with 0 says that its assumption holds, with 1 that it does not. Everything else, such as the AWS CLI's 254
for a permission that is missing, says that it could not be checked. The stack's outputs are in the environment.

usage: assumptions.py      (by scripts/check-assumptions)
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parent.parent.parent / "docs/aws-assumptions.md"
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = 120  # for one check
AT_ONCE = 8  # each waits for AWS, and touches nothing of another's

HOLDS, FAILS, UNKNOWN = "holds", "does not hold", "not checked here"


class Assumption(NamedTuple):
    sentence: str
    text: str
    checks: list


def assumptions(page):
    """The page's common bash, and its assumptions: each is a heading of the third level."""
    introduction, *sections = re.split(r"^### ", page, flags=re.MULTILINE)
    found = []
    for section in sections:
        sentence, _, text = section.partition("\n")
        text = re.split(r"^## ", text, flags=re.MULTILINE)[0]
        found.append(Assumption(sentence, text, BLOCK.findall(text)))
    return "".join(BLOCK.findall(introduction)), found


def state(code):
    """What a check's exit code says."""
    return {0: HOLDS, 1: FAILS}.get(code, UNKNOWN)


def outcome(common, check):
    """What a check says, and what it printed."""
    command = ["timeout", str(SECONDS), "bash", "-euo", "pipefail", "-c", common + check]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         errors="replace", check=False)
    return state(run.returncode), run.stdout.strip()


def report(page):
    """A line for each assumption, with what its check printed unless it holds; then how many are which."""
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
