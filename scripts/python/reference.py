"""Writes what template.yaml, samconfig.toml and the code state into the tables of the operators' reference, or checks them.

A table stands in its page between `<!-- table: NAME -->` and `<!-- end -->`. This script writes some of its columns, and people
write the others: a row is known by the name in its first cell, and keeps its place and what people wrote. A new row is added at
the end, and the check fails until somebody fills it in. A table may be in several parts, under headings of their own.

usage: reference.py FLAT_TEMPLATE.json (--check | --write)   (by scripts/check-template and scripts/generate)
"""

import json
import re
import sys
import tomllib
from pathlib import Path

from dashboard import OF_A_FUNCTION, OURS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/reference"
STAGES = ["sandbox", "staging", "production"]
TABLE = re.compile(r"(?P<begin><!-- table: (?P<name>[a-z ]+) -->\n)(?P<rows>.*?)(?P<end><!-- end -->)", re.DOTALL)
METRIC = re.compile(r'Metric::new\(\s*"(\w+)",\s*(?:Unit::)?(\w+)\)')
# The order in which dimensions are shown.
DIMENSIONS = ["Stack", "Function", "Environment", "BlockReason"]


def code(text):
    return f"`{text}`"


def value(text):
    return "empty" if text == "" else code(text)


def words(text):
    """A description as a sentence on one line."""
    text = " ".join(text.split())
    return text if text.endswith(".") else f"{text}."


def allowed(parameter):
    """The values that CloudFormation accepts for a parameter."""
    if "AllowedValues" in parameter:
        return ", ".join(code(each) for each in parameter["AllowedValues"])
    if "AllowedPattern" in parameter:
        pattern, _, rest = parameter["AllowedPattern"].rpartition("|^$")
        return f"{code(pattern)} or empty" if pattern and not rest else code(parameter["AllowedPattern"])
    least, most = parameter.get("MinValue"), parameter.get("MaxValue")
    if least is not None:
        return f"{least} to {most}" if most is not None else f"at least {least}"
    return f"at least {parameter['MinLength']} character" if "MinLength" in parameter else "any text"


def parameters(template):
    """The parameters of template.yaml: type, default, allowed values, description."""
    for name, parameter in template["Parameters"].items():
        yield name, [parameter["Type"], value(parameter["Default"]), allowed(parameter), words(parameter["Description"])]


def stages(template):
    """The parameters that samconfig.toml sets, and their values at each stage."""
    config = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
    given = [dict(each.split("=", 1) for each in config[stage]["deploy"]["parameters"]["parameter_overrides"]) for stage in STAGES]
    for name, parameter in template["Parameters"].items():
        if any(name in of_stage for of_stage in given):
            default = f"{value(parameter['Default'])} (default)"
            yield name, [value(of_stage[name]) if name in of_stage else default for of_stage in given]


def alarms(template):
    """The alarms of all templates, with what they tell operators."""
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::CloudWatch::Alarm":
            yield name, [words(resource["Properties"]["AlarmDescription"])]


def rules(template):
    """The rules that notify operators, with what they tell them."""
    for name, resource in template["Resources"].items():
        properties = resource.get("Properties", {})
        if resource["Type"] == "AWS::Events::Rule" and any(target["Id"] == "operators" for target in properties.get("Targets", [])):
            yield name, [words(properties["Description"])]


def metrics(_template):
    """The metrics of the functions: who emits them, their unit and dimensions."""
    for file in sorted([*ROOT.glob("shared/*/src/**/*.rs"), *ROOT.glob("functions/*/src/**/*.rs")]):
        folder, name = file.relative_to(ROOT).parts[:2]
        for metric, unit in METRIC.findall(file.read_text(encoding="utf-8").split("mod tests {")[0]):
            dimensions = OURS.get(metric, OF_A_FUNCTION)
            yield metric, [code(name) if folder == "functions" else "every function", unit,
                           ", ".join(code(each) for each in DIMENSIONS if each in dimensions)]


# Of each table: the page, the function that states its rows, the columns that it states, and those that are written by hand. Of the
# latter, a cell of OPTIONAL may be empty.
OPTIONAL = {"Guide"}
TABLES = {
    "parameters": ("parameters.md", parameters, ["Type", "Default", "Allowed values", "What it does"], ["Guide"]),
    "stages": ("parameters.md", stages, ["`sandbox`", "`staging`", "`production`"], []),
    "alarms": ("alarms.md", alarms, ["What happened"], ["It rings when", "First, and then"]),
    "rules": ("alarms.md", rules, ["What it does"], ["The calls", "Expected of"]),
    "metrics": ("metrics.md", metrics, ["Emitted by", "Unit", "Dimensions"], ["Meaning"]),
}


def cells(row):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def line(row):
    return re.sub(r"\|  (?=\|)", "| ", f"| {' | '.join(row)} |")


def written(page, template):
    """A page with its tables as they must be, and the faults that only a person can mend."""
    faults = []
    tables = {name: dict(state(template)) for name, (file, state, *_) in TABLES.items() if file == page.name}
    text = page.read_text(encoding="utf-8")
    known = {name: set() for name in tables}
    parts = {name: [part for part in TABLE.finditer(text) if part["name"] == name] for name in tables}
    for name, found in parts.items():
        if not found:
            faults.append(f"{page.name}: there is no <!-- table: {name} -->")
        for part in found:
            known[name] |= {cells(row)[0].strip("`") for row in part["rows"].splitlines()[2:]}

    def filled(part):
        name = part["name"]
        if name not in tables:
            faults.append(f"{page.name}: {name}: the table does not exist")
            return part[0]
        _, _, stated, by_hand = TABLES[name]
        rows = {(row := cells(each))[0].strip("`"): row for each in part["rows"].splitlines()[2:]}
        empty = [""] * len(by_hand)
        of_part = {row: [*rows[row][1 + len(stated):], *empty][:len(empty)] for row in rows if row in tables[name]}
        if part.start() == parts[name][-1].start():
            of_part |= {row: empty for row in tables[name] if row not in known[name]}
        for row, hand in of_part.items():
            missing = [column for column, cell in zip(by_hand, hand, strict=True) if not cell and column not in OPTIONAL]
            if missing:
                faults.append(f"{page.name}: {row}: fill in {' and '.join(missing)}")
        head = ["Name", *stated, *by_hand]
        lines = [line(head), "|" + "---|" * len(head)]
        for row, hand in of_part.items():
            lines.append(line([code(row), *(cell.replace("|", "\\|") for cell in tables[name][row]), *hand]))
        return part["begin"] + "\n".join(lines) + "\n" + part["end"]

    return TABLE.sub(filled, text), faults


def main(path, option):
    template = json.loads(Path(path).read_text(encoding="utf-8"))
    faults = []
    for page in sorted({FOLDER / file for file, *_ in TABLES.values()}):
        text, of_page = written(page, template)
        faults += of_page
        if option == "--write":
            page.write_text(text, encoding="utf-8")
        elif page.read_text(encoding="utf-8") != text:
            faults.append(f"{page.name}: its tables are not what the template, samconfig.toml and the code state: scripts/generate")
    if faults:
        sys.exit("\n".join(faults))
    print("the operators' tables are what the template, samconfig.toml and the code state")


if __name__ == "__main__":
    main(*sys.argv[1:])
