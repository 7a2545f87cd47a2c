"""JUnit files: read for their counts, and never trusted."""

import os

import pytest

from runners.files import remove_tree
from runners.project import ProjectPlan, prepare
from runners.protocol import Completed
from runners.verdicts import junit_files
from runners.verdicts.junit_files import SIZE, clear, places, read
from tests.support.fakes.sandbox import FakeSandbox

XML = """<?xml version="1.0"?><testsuites><testsuite>
<testcase classname="PTest" name="adds"/><testcase classname="PTest" name="adds"/>
<testcase classname="PTest" name="fails"><failure message="no"/></testcase>
<testcase classname="PTest" name="skips"><skipped/></testcase></testsuite></testsuites>"""
ALL = ("**/TEST-*.xml",)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("mvn -o test", "target/surefire-reports/TEST-P.xml"),
        ("./gradlew test --offline", "app/build/test-results/test/TEST-P.xml"),
        ("pytest --junitxml=out/junit.xml", "out/junit.xml"),
        ("ctest --output-junit junit.xml", "junit.xml"),
        ("java ConsoleLauncher execute --reports-dir=reports", "reports/TEST-junit-jupiter.xml"),
        ("vitest run --reporter=junit --outputFile=junit.xml", "junit.xml"),
    ],
)
def test_reports_are_found_where_the_command_leaves_them(command, found, tmp_path):
    (tmp_path / found).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / found).write_text(XML)
    report = read(tmp_path, places(command))
    assert (report.passed, report.failed) == ({"PTest adds", "PTest adds #2"}, {"PTest fails"})


def test_no_report_is_looked_for_outside_of_the_project():
    assert (
        places("pytest --junitxml=/etc/x.xml; ctest --output-junit ../x.xml; java C --reports-dir=/tmp; make test")
        == ()
    )


def test_links_pipes_and_folders_are_no_reports(tmp_path):
    (project := tmp_path / "project").mkdir()
    (tmp_path / "TEST-outside.xml").write_text(XML)
    (project / "TEST-link.xml").symlink_to(tmp_path / "TEST-outside.xml")
    (project / "folder").symlink_to(tmp_path)
    (project / "TEST-folder.xml").mkdir()
    os.mkfifo(project / "TEST-pipe.xml")
    assert read(project, (*ALL, "folder/*.xml")) is None


def named(report):
    return sorted(report.passed), sorted(report.failed)


@pytest.mark.parametrize(
    "text",
    [
        "not XML",
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&a;"/></testsuite>',
        "<testsuite>" + " " * SIZE + "</testsuite>",
        *(
            f'<?xml version="1.0" encoding="{name}"?><testsuite/>'
            for name in ("x", "hex", "idna", "utf-7", "undefined")
        ),
    ],
    ids=["text", "entities", "outside", "large", "unknown", "hex", "idna", "utf-7", "undefined"],
)
def test_files_that_want_more_than_to_be_read_are_refused(text, tmp_path):
    (tmp_path / "TEST-x.xml").write_text(text)
    report = read(tmp_path, ALL)
    assert (named(report), report.counts) == (([], []), None)
    assert report.damage.startswith("TEST-x.xml: ")


@pytest.mark.parametrize(
    ("doctype", "damage", "passed"),
    [
        ('<!DOCTYPE testsuite SYSTEM "junit.dtd">', "\x1b", ["a", "b"]),
        ('<!DOCTYPE testsuite SYSTEM "junit.dtd">', "<", ["a"]),
        ("<!DOCTYPE testsuite [<!ELEMENT testsuite ANY>]>", "\x1b", ["a"]),
    ],
)
def test_a_damaged_file_with_a_document_type_keeps_the_cases_before_the_damage(doctype, damage, passed, tmp_path):
    (tmp_path / "TEST-x.xml").write_text(
        f'{doctype}<testsuite><testcase name="a"/><system-out>{damage}</system-out><testcase name="b"/></testsuite>'
    )
    report = read(tmp_path, ALL)
    assert named(report) == (passed, [])
    assert report.damage.startswith("TEST-x.xml: ")


def test_what_lay_there_before_the_run_is_removed(tmp_path):
    (tmp_path / "TEST-old.xml").write_text(XML)
    clear(tmp_path, ALL)
    assert not list(tmp_path.iterdir())


def test_files_together_are_no_larger_than_what_is_read(tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / f"TEST-{name}.xml").write_text(XML)
    assert len(read(tmp_path, ALL).failed) == 3
    monkeypatch.setattr(junit_files, "TOTAL", 2 * len(XML))
    report = read(tmp_path, ALL)
    assert (len(report.failed), report.damage.partition(": ")[0]) == (2, "TEST-c.xml")


def test_more_files_than_a_project_may_have_hide_the_reports(tmp_path, monkeypatch):
    (tmp_path / "TEST-a.xml").write_text(XML)
    (tmp_path / "b").write_text("")
    monkeypatch.setattr(junit_files, "ENTRIES", 2)
    assert read(tmp_path, ALL)
    (tmp_path / "c").write_text("")
    assert read(tmp_path, ALL) is None


def test_reports_are_found_between_folders_without_end(tmp_path):
    (tmp_path / "TEST-a.xml").write_text(XML)
    deep = str(tmp_path)
    for _ in range(1_200):
        os.mkdir(deep := f"{deep}/d")  # noqa: PTH102 - pathlib goes down one call for each
    assert read(tmp_path, ALL).passed == {"PTest adds", "PTest adds #2"}
    remove_tree(tmp_path)


def test_folders_without_a_path_hide_the_reports(tmp_path, monkeypatch):
    (tmp_path / "TEST-a.xml").write_text(XML)
    monkeypatch.chdir(tmp_path)
    for _ in range(30):
        os.mkdir("n" * 200)  # noqa: PTH102 - its path is too long
        os.chdir("n" * 200)
    assert read(tmp_path, ALL) is None
    monkeypatch.chdir("/")
    remove_tree(tmp_path)


def test_a_case_counts_by_what_stands_in_itself(tmp_path):
    inner = '<testcase name="in"><x><failure/></x></testcase>'
    (tmp_path / "TEST-a.xml").write_text(
        f'<s><failure/><testcase name="out">{inner}<error/></testcase><testcase name="both"><skipped/><error/></testcase></s>'
    )
    report = read(tmp_path, ALL)
    assert (report.passed, report.failed) == ({"in"}, {"out", "both"})


@pytest.mark.parametrize("limit", ["wall", "cpu", "output", "disk"])
async def test_a_run_that_was_stopped_has_no_report(limit, cache):
    def run(job):
        (job.project / "target/surefire-reports").mkdir(parents=True)
        (job.project / "target/surefire-reports/TEST-a.xml").write_text(XML)
        return Completed(None, 9, "", "", 1.0, limit)

    project = await prepare(
        {"a": ""}, ProjectPlan("system", command="mvn test"), FakeSandbox(run), cache, lambda _: None
    )
    result = await project.run({})
    project.close()
    assert (result.tests, result.passed) == (None, 0)


async def test_a_project_is_counted_by_the_files_of_this_very_run(cache):
    def run(job):
        if (job.project / "good").exists():
            (job.project / "target/surefire-reports/TEST-new.xml").write_text(
                '<testsuite><testcase classname="T" name="a"/></testsuite>'
            )
        return Completed(0, None, "BUILD SUCCESS\n", "", 1.0)

    old = {"target/surefire-reports/TEST-old.xml": XML}
    project = await prepare(
        old, ProjectPlan("system", command="mvn -o -q test"), FakeSandbox(run), cache, lambda _: None
    )
    try:
        good, bad = await project.run({"good": ""}), await project.run({})
    finally:
        project.close()
    assert (good.verdict_class, good.passed, good.tests) == ("passed", 1, {"T a"})
    assert (bad.verdict_class, bad.tests) == ("failed", None)
