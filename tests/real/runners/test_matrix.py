"""What ghosttape counts and names is what each test runner reports itself, under every usual option.

A file in `matrix/` holds a project in which tests end in every way that its runner knows, the command that prints the runner's own
machine-readable report (`own`, in a `format` of `REPORTS`), and commands whose results must agree with it. With GHOSTTAPE_RECORD=FOLDER each output is
written there as a case for `tests/runners/verdicts/cases`.
"""

import json
import os
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from runners import witness
from runners.project import ProjectPlan, prepare
from runners.sandboxes import pick

MATRIX = sorted(Path(__file__).with_name("matrix").glob("*.toml"))
FAILED = {"failure", "error"}


def cases(text):
    """Yield each test of JUnit files with the names of the elements in it."""
    for document in re.split(r"(?=<\?xml )", text[text.index("<") :]):
        if document.strip():
            for case in ET.fromstring(document).iter("testcase"):
                yield case, {child.tag for child in case}


def of_pytest(text):
    """A test has a case for each of its phases that failed, and elements for its subtests; one that only skipped subtests passed."""
    ends = {"passed": set(), "failed": set()}
    for case, about in cases(text):
        file, classes = case.get("file"), case.get("classname", "").split(".")[1:]
        name = "::".join([file, *classes, case.get("name")]) if case.get("classname") else f"{case.get('name')}.py"
        subtests_only = name.rpartition("::")[2] in {"test_sub_pass", "test_skipsub"}
        if about & FAILED:
            ends["failed"].add(name)
        elif "skipped" not in about or subtests_only:
            ends["passed"].add(name)
    return sorted(ends["passed"] - ends["failed"]), sorted(ends["failed"])


def of_xmlrunner(text):
    """Each subtest has a case of its own, named after its test."""
    ends = {"passed": set(), "failed": set(), "skipped": set()}
    for case, about in cases(text):
        end = "failed" if about & FAILED else "skipped" if "skipped" in about else "passed"
        whole = case.get("name").partition(" ")[0]
        name = f"{case.get('classname')}.{whole}" if case.get("classname") != whole else whole
        is_subtest = " " in case.get("name")
        ends["passed" if is_subtest and end == "skipped" else end].add(name)
    return sorted(ends["passed"] - ends["failed"] - ends["skipped"]), sorted(ends["failed"])


def of_junit(text):
    passed, failed = [], []
    for case, about in cases(text):
        if "skipped" not in about and case.get("status") not in {"disabled", "notrun"}:
            (failed if about & FAILED else passed).append(case.get("name"))
    return passed, failed


def of_jest(text):
    passed, failed = [], []
    for file in json.loads(text[text.index("{") :])["testResults"]:
        path = Path(file["name"]).name
        for test in file["assertionResults"]:
            name = f"{path} > {' '.join([*test['ancestorTitles'], test['title']])}"
            {"passed": passed, "failed": failed}.get(test["status"], []).append(name)
        if not file["assertionResults"]:
            failed.append(path)  # it could not be loaded
    return passed, failed


def of_mocha(text):
    report = json.loads(text[text.index("{") :])
    return tuple(
        [f"test/{Path(test['file']).name} > {test['fullTitle']}" for test in report[end]]
        for end in ("passes", "failures")
    )


def of_tap(text):
    passed = re.findall(r"^ok \d+(?: -)? (.*)$", text, re.MULTILINE)
    failed = re.findall(r"^not ok \d+(?: -)? (.*)$", text, re.MULTILINE)
    directive = re.compile(r" # (?:TODO|SKIP)")
    return tuple([name for name in names if not directive.search(name)] for names in (passed, failed))


def of_node(text):
    """The names of tests and suites, and the numbers of tests alone."""
    lines = re.findall(r"^ *(not )?ok \d+ - (.*)$", text, re.MULTILINE)
    named = [(bool(failed), Path(name).name) for failed, name in lines if not re.search(r" # (?:TODO|SKIP)", name)]
    numbers = {word: int(number) for word, number in re.findall(r"^# (pass|fail|cancelled) (\d+)$", text, re.MULTILINE)}
    counts = numbers["pass"], numbers["fail"] + numbers["cancelled"]
    return [name for failed, name in named if not failed], [name for failed, name in named if failed], counts


def numbered(pattern):
    """The report of a runner that only counts."""

    def read(text):
        found = dict.fromkeys(("pass", "fail"), 0) | {word[:4]: int(n) for word, n in re.findall(pattern, text)}
        return ["?"] * found["pass"], ["?"] * found["fail"]

    return read


def of_events(pattern):
    """The report of a runner that writes an event as JSON on each line."""

    def read(text):
        found = [re.match(pattern, line) for line in text.splitlines()]
        ends = [(hit["end"], hit["name"]) for hit in found if hit]
        return [name for end, name in ends if end in {"ok", "pass"}], [
            name for end, name in ends if end.startswith("fail")
        ]

    return read


REPORTS = {
    "pytest": of_pytest,
    "xmlrunner": of_xmlrunner,
    "junit": of_junit,
    "node": of_node,
    "jest": of_jest,
    "mocha": of_mocha,
    "tap": of_tap,
    "tape": numbered(r"(?m)^# (pass|fail)  (\d+)$(?=[\s\S]{0,40}\Z)"),
    "node-tap": numbered(r"(pass|fail): (\d+)"),
    "lines": numbered(r"(passed|failed)=(\d+)"),
    "cargo": of_events(r'\{ "type": "test", "name": "(?P<name>[^"]+)", "event": "(?P<end>ok|failed)"'),
    "go": of_events(r'\{.*"Action":"(?P<end>pass|fail)".*"Test":"(?P<name>[^"/]+)"'),
}


NAMED = {"pytest", "node", "jest", "mocha"}
"""The formats in which names can be compared."""


def plain(names, how):
    """The names as both sides have them: without the marks between suites, and of node without file, depth and number."""
    if how == "node":
        return {re.sub(r"^\S+ \d+ (.*?)(?: #\d+)?$", r"\1", name).removeprefix("/project/") for name in names}
    return {name.replace(" > ", " ") for name in names}


def record(name, command, result, done):
    """Write an output as a case."""
    folder = os.environ.get("GHOSTTAPE_RECORD")
    if not folder:
        return
    stem = f"{name}-{re.sub('[^a-z0-9]+', '-', command.lower()).strip('-')}"[:60]
    lines = [f"command = {json.dumps(command)}", f"exit = {json.dumps(done.exit)}"]
    lines += [f"{key} = {json.dumps(text)}" for key, text in (("stdout", done.stdout), ("stderr", done.stderr))]
    lines += ["", "[verdict]", f"class = {json.dumps(result.verdict_class)}", f"message = {json.dumps(result.message)}"]
    lines += [f"passed = {result.passed}", f"failed = {result.failed}"]
    (Path(folder) / f"{stem}.toml").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("file", MATRIX, ids=lambda file: file.stem)
async def test_counts_and_names_are_those_of_the_runners_own_report(file, cache, need, monkeypatch):
    row = tomllib.loads(file.read_text())
    need(*row.get("needs", ()))
    done = []
    plan = ProjectPlan(row["toolchain"], tuple(row.get("requires", ())), row.get("setup", ""), timeout_s=300.0)
    project = await prepare(row["files"], plan, pick(), cache, lambda _: None)
    kind = type(project.sandbox)
    run = kind.run

    async def noting(self, job):
        done.append(await run(self, job))
        return done[-1]

    monkeypatch.setattr(kind, "run", noting)

    async def ran(command, toolchain=row["toolchain"]):
        told = witness.options(toolchain, command, row["files"], project.sandbox)
        return await replace(project, plan=replace(plan, command=command), witnesses=told).run({})

    try:
        await ran(row["own"], "")
        passed, failed, *counts = REPORTS[row["format"]](done[-1].stdout)
        assert passed
        for command in row["commands"]:
            result = await ran(command)
            record(file.stem, command, result, done[-1])
            assert (result.passed, result.failed) == (counts[0] if counts else (len(passed), len(failed))), command
            if row["format"] in NAMED:
                for ours, theirs in ((result.tests, passed), (result.failing, failed)):
                    assert plain(ours, row["format"]) == plain(theirs, row["format"]), command
    finally:
        project.close()
