"""Prints the tables of capacity and cost.

usage: capacity_page.py [--calls FILE] [--check PAGE | --write PAGE]   (by scripts/capacity)"""

import argparse
import json
import sys
from pathlib import Path

from capacity import (
    CALLS,
    CREATIONS_AN_HOUR,
    LOADS,
    RATES,
    WEB_REQUESTS,
    Load,
    concurrency,
    limits,
    number,
    partitions,
    rows,
    share,
    tables,
)
from cost import ATTACK, attack_table, call_table, cost_table

# Limits that are reached at a higher rate, in captures a second, are left out.
HIGHEST = 3000
MARK = "<!-- scripts/capacity -->"


def headed(load):
    """The heading of a load's column."""
    said = ([f"{load.licenses:,} licenses"] if load.licenses > 1 else []) + (["timestamps"] if load.timestamps else [])
    return ", ".join([f"{load.rate:,}", *said])


def first_table(calls):
    """The limits that are reached first for one license, and how timestamps or a thousand licenses change them."""
    one, stamped, many = ({limit.what: limit for limit in limits(calls, *variant)}
                          for variant in ((1, False), (1, True), (1000, False)))
    body = [[what, *(number(variant[what].rate) for variant in (one, stamped, many)), limit.answer, limit.remedy]
            for what, limit in sorted(one.items(), key=lambda pair: pair[1].rate) if limit.rate <= HIGHEST]
    return rows(["Limit", "binds at", "with timestamps", "1,000 licenses", "Response", "To raise it"], body)


def partition_table(calls):
    """The busiest partitions: units a second, and their share of the limit."""
    of = [partitions(calls, load) for load in LOADS]
    body = []
    for (table, partition), (reads, writes) in sorted(of[2].items(), key=lambda pair: -share(*pair[1])):
        shares = (f"{100 * share(*one[table, partition]):.2g} %" for one in of)
        body.append([f"{table}: `{partition}`", f"{number(reads)} + {number(writes)}", *shares])
    return rows(["Partition", "units at 1,000", *map(headed, LOADS)], body)


def table_table(calls):
    """Units a second of each table, for reads and writes."""
    of = [tables(calls, load) for load in LOADS]
    body = [[table, *(f"{number(one[table][0])} + {number(one[table][1])}" for one in of)] for table in sorted(of[0])]
    return rows(["Table", *map(headed, LOADS)], body)


def need_table(calls):
    """The quotas and settings that an operator needs for a load."""
    loads = [Load(rate, 1, timestamps) for timestamps in (False, True) for rate in RATES]

    def row(what, value):
        return [what, *(number(value(load)) for load in loads)]

    each = concurrency(calls, loads[0])
    body = [
        row("API keys", lambda load: load.rate * 3600 / CREATIONS_AN_HOUR),
        row("`RequestsPerSecond`", lambda load: load.rate * WEB_REQUESTS),
        row("`RouteRequestsPerSecond`", lambda load: load.rate),
        row("KMS operations, RSA and ECC each", lambda load: load.rate),
        *(row(f"`{function}`, concurrent", lambda load, of=function: concurrency(calls, load)[of]) for function in each),
        row("all functions, concurrent", lambda load: sum(concurrency(calls, load).values())),
    ]
    return rows(["A second", *map(headed, loads)], body)


PARTS = [
    ("What one invocation of each function asks of AWS", call_table),
    ("Dollars for a million captures", cost_table),
    ("Captures a second at which each limit binds", first_table),
    ("Partitions: reads + writes, and the share of the limit", partition_table),
    ("What a load needs, without reserve", need_table),
    (f"Dollars a day of an attack of {ATTACK} requests a second", attack_table),
    ("Tables: reads + writes a second", table_table),
]
# The last part is printed only on request.
OF_PAGE = PARTS[:-1]


def report(calls, parts):
    """The tables with their titles."""
    return "\n".join(line for title, table in parts for line in ("", f"{title}:", "", *table(calls)))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--calls", type=Path, default=CALLS)
    arguments.add_argument("--check", type=Path, metavar="PAGE")
    arguments.add_argument("--write", type=Path, metavar="PAGE")
    options = arguments.parse_args()
    calls = json.loads(options.calls.read_text(encoding="utf-8"))
    page = options.check or options.write
    if not page:
        print(report(calls, PARTS))
        return 0
    text = page.read_text(encoding="utf-8")
    before, _, after = text.split(MARK)
    wanted = f"{before}{MARK}\n{report(calls, OF_PAGE)}\n\n{MARK}{after}"
    if options.write:
        page.write_text(wanted, encoding="utf-8")
    elif text != wanted:
        print(f"{page}: its tables are not what is computed: scripts/capacity --write {page}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
