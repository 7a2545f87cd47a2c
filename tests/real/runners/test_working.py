"""The first way in which the tests of a project pass is found by trying it in the sandbox."""

import os
import zipfile
from dataclasses import replace

import pytest

from runners.environments import Candidate, NotTestable, TriedWay, WayTester, candidates, package_name
from runners.environments.way_tester import MOST, _unsupported
from runners.errors import IndexUnreachable, MachineFails, SetupFailed
from runners.project import ProjectPlan
from runners.protocol import Completed
from runners.toolchains import Unsupported
from tests.support.fakes.sandbox import FakeSandbox

PASSES = "def test_a():\n    assert 1 + 1 == 2\n"
MANY = "".join(f"def test_{n}():\n    pass\n\n\n" for n in range(9))
MANIFEST = "[dependency-groups]\ntest = ['iniconfig==2.0.0']\n"


@pytest.fixture
def first_working(bubblewrap, cache):
    """A function that finds out how a project is tested."""

    async def run(files):
        return await WayTester(bubblewrap, cache, lambda _: None).first_working(files, candidates(files))

    return run


def said(working):
    return [each.said for each in working.candidate.assumptions]


async def test_a_project_that_passes_is_tried_once(first_working):
    found = await first_working({"pyproject.toml": MANIFEST, "tests/test_a.py": PASSES})
    assert (found.candidate.name, found.result.passed, len(found.trials)) == ("pytest", 1, 1)


async def test_a_module_that_is_missing_is_added_if_a_file_names_its_package(first_working):
    files = {
        "pyproject.toml": "[dependency-groups]\ntest = ['attrs>=23']",
        "tests/test_a.py": "import importlib\n\n\ndef test_a():\n    importlib.import_module('attr')\n",
    }
    found = await first_working(files)
    assert found.candidate.plan.requires[1:] == ("attrs>=23",)
    assert "installed, as tests ask for it: attrs>=23" in said(found)
    assert [bool(each.problem) for each in found.trials] == [True, False]


async def test_where_more_is_needed_all_that_is_listed_for_tests_is_installed(first_working):
    test = "import importlib.util\n\n\ndef test_a():\n    if importlib.util.find_spec('attr') is None:\n        raise ModuleNotFoundError(\"No module named 'own_part'\")\n"
    found = await first_working(
        {"pyproject.toml": "[dependency-groups]\ntest = ['attrs>=23']", "tests/test_a.py": test}
    )
    assert found.candidate.name == "pytest with all test packages"


async def test_a_test_among_many_that_fails_here_is_left_out_and_said(first_working):
    failing = "import pytest\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_here(n):\n    assert not n\n"
    found = await first_working({"tests/test_a.py": MANY, "tests/test_b.py": failing})
    assert found.candidate.plan.command.endswith(" --deselect tests/test_b.py::test_here")
    assert "left out, as they fail here before anything is changed: tests/test_b.py::test_here" in said(found)
    assert found.result.passed == 9


async def test_tests_that_fail_are_left_out_also_where_their_messages_are_longer_than_a_log(first_working):
    failing = "".join(f"def test_{name}():\n    assert 0, 'long ' * 5000\n\n\n" for name in ("one", "two"))
    found = await first_working({"tests/test_a.py": MANY, "tests/test_b.py": failing})
    left_out = "--deselect tests/test_b.py::test_one --deselect tests/test_b.py::test_two"
    assert found.candidate.plan.command.endswith(left_out)
    assert found.result.passed == 9


async def test_where_many_tests_fail_none_is_left_out(first_working):
    with pytest.raises(NotTestable) as caught:
        await first_working(
            {"tests/test_a.py": MANY + "".join(f"def test_fails_{n}():\n    assert 0\n\n\n" for n in range(5))}
        )
    assert not any("--deselect" in each.candidate.plan.command for each in caught.value.trials)
    assert caught.value.trials[-1].problem.startswith("5 of 14 tests fail: ")
    first = ", ".join(f"tests/test_a.py::test_fails_{n}" for n in range(3))
    assert caught.value.remedies[-1].startswith(f"these fail here: {first} and 2 more: name a command")


async def test_a_service_that_is_missing_is_said(first_working):
    test = """import socket


def test_a():
    try:
        socket.create_connection(("127.0.0.1", 6379))
    except ConnectionRefusedError as error:
        raise ConnectionError(f"Error 111 connecting to localhost:6379. {error}.") from error
"""
    with pytest.raises(NotTestable) as caught:
        await first_working({"tests/test_a.py": MANY, "tests/test_b.py": test})
    assert caught.value.remedies[0].startswith("tests need redis, which does not run in the sandbox")


async def test_a_project_that_asks_for_its_own_version_is_built(first_working):
    files = {
        "setup.py": "from setuptools import setup\nsetup(name='own', version='1.5', py_modules=['own'])\n",
        "own.py": "from importlib.metadata import version\n\nVERSION = version('own')\n",
        "tests/test_a.py": "import own\n\n\ndef test_a():\n    assert own.VERSION == '1.5'\n",
    }
    found = await first_working(files)
    assert found.candidate.name == "pytest, built"
    assert "it is built first: own.py may ask for what is installed" in said(found)


async def test_versions_that_cannot_be_installed_are_left_open(first_working):
    files = {"requirements.txt": "iniconfig==99.99\n", "tests/test_a.py": PASSES}
    found = await first_working(files)
    assert found.candidate.plan.requires[-1] == "iniconfig"
    assert "versions that cannot be installed together, or here, are left open" in said(found)


async def test_a_package_that_needs_one_without_a_wheel_is_left_out_if_tests_do_without_it(
    first_working, tmp_path, monkeypatch
):
    about = "Metadata-Version: 2.1\nName: own-needy\nVersion: 1.0\nRequires-Dist: own-part-without-wheel\n"
    wheel = "Wheel-Version: 1.0\nGenerator: own\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(tmp_path / "own_needy-1.0-py3-none-any.whl", "w") as packed:
        for name, text in {"METADATA": about, "WHEEL": wheel, "RECORD": ""}.items():
            packed.writestr(f"own_needy-1.0.dist-info/{name}", text)
    monkeypatch.setenv("PIP_FIND_LINKS", f"{tmp_path} {os.environ.get('PIP_FIND_LINKS', '')}".strip())
    found = await first_working({"requirements.txt": "own-needy==1.0\n", "tests/test_a.py": PASSES})
    assert [package_name(each) for each in found.candidate.plan.requires] == ["pytest"]
    why = "left out, as it cannot be installed here: own-needy (nor own-part-without-wheel, which it needs)"
    assert why in said(found)


async def test_where_nothing_works_the_module_and_the_flag_are_named(first_working):
    with pytest.raises(NotTestable) as caught:
        await first_working({"tests/test_a.py": "import own_secret_part\n"})
    assert caught.value.remedies[0] == (
        "tests import `own_secret_part`, which nothing installs: add it with --requires own-secret-part"
    )


async def test_without_any_way_the_flags_are_named(first_working):
    with pytest.raises(NotTestable, match="--test-command, and the toolchain with --toolchain"):
        await first_working({"README.md": ""})


def failing_ways():
    number = 0
    while number < 1000:
        number += 1
        yield Candidate(f"way {number}", ProjectPlan("system", command=f"make test-{number}"))


async def test_no_way_is_begun_after_the_time_is_over_but_the_first(cache):
    seconds = [0.0]

    def minute(job):
        seconds[0] += 60.0
        return Completed(1, None, "sh: own: command not found\n", "", 1.0)

    for within_s, tried in ((0.0, 1), (100.0, 2)):
        tester = WayTester(FakeSandbox(minute), cache, lambda _: None, within_s, lambda: seconds[0])
        with pytest.raises(NotTestable) as caught:
            await tester.first_working({}, failing_ways())
        assert len(caught.value.trials) == tried


async def test_no_more_than_a_few_ways_are_tried_and_each_once(cache):
    sandbox = FakeSandbox(lambda job: Completed(1, None, "sh: own: command not found\n", "", 1.0))
    same = Candidate("same", ProjectPlan("system", command="make"))
    with pytest.raises(NotTestable) as caught:
        await WayTester(sandbox, cache, lambda _: None).first_working({}, [same, same, *failing_ways()])
    assert [each.candidate.plan.command for each in caught.value.trials] == [
        "make",
        *(f"make test-{n}" for n in range(1, MOST)),
    ]


async def test_a_package_that_a_person_names_is_neither_left_out_nor_taken_in_another_version(bubblewrap, cache):
    files = {"requirements.txt": "iniconfig==99.99\n", "tests/test_a.py": PASSES}
    for named in ("iniconfig==99.98", "no-such-thing-x1y2"):
        ways = [replace(each, plan=replace(each.plan, requires=("pytest", named))) for each in candidates(files)]
        with pytest.raises(SetupFailed, match=rf"^--requires {named}: it cannot be installed: [^:]*: are name"):
            await WayTester(bubblewrap, cache, lambda _: None, named=(named,)).first_working(files, ways)


async def test_without_a_file_of_tests_that_is_said(first_working):
    with pytest.raises(NotTestable, match=r"no file is named as tests are .* name what runs them with --test-command"):
        await first_working({"pyproject.toml": '[project]\nname = "own"', "own.py": ""})


async def test_without_a_network_no_other_way_is_tried(bubblewrap, tmp_path, monkeypatch):
    for name, value in {"CONFIG_FILE": os.devnull, "INDEX_URL": "http://127.0.0.1:9/simple", "RETRIES": "1"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    for name in ("FIND_LINKS", "EXTRA_INDEX_URL", "NO_INDEX"):
        monkeypatch.delenv(f"PIP_{name}", raising=False)
    files, said = {"requirements.txt": "iniconfig\n", "tests/test_a.py": PASSES}, []
    with pytest.raises(IndexUnreachable, match=r"index cannot be reached \(Connection refused\): is there a network\?"):
        await WayTester(bubblewrap, tmp_path, said.append).first_working(files, candidates(files))
    assert sum(line.startswith("trying: ") for line in said) == 1


async def test_a_machine_that_fails_ends_it(tmp_path):
    def full(_):
        raise MachineFails("the file system is full: make room")

    with pytest.raises(MachineFails, match="make room"):
        await WayTester(FakeSandbox(full), tmp_path, lambda _: None).first_working(
            {}, [Candidate("a", ProjectPlan("system", setup="b", command="c"))]
        )


async def test_the_cause_and_the_packages_for_another_node_are_named_where_no_test_runs(bubblewrap, cache, need):
    need("node", "npm")
    starts = "await import('./a.js').catch((cause) => { console.error(`Error: Failed to start.\\n  at x\\n\\nCaused by: ${cause}`); process.exit(1); });\n"
    files = {"package.json": '{"scripts": {"test": "node test.mjs"}}'}
    files |= {"test.mjs": starts, "a.js": "throw new TypeError('no such method');\n"}
    tester = WayTester(bubblewrap, cache, lambda _: None)
    with pytest.raises(NotTestable) as caught:
        await tester.first_working(files, candidates(files))
    assert caught.value.trials[0].problem == "Error: Failed to start: TypeError: no such method"
    assert not any("Node.js" in each for each in caught.value.remedies)
    named = TriedWay(
        replace(caught.value.trials[0].candidate, plan=ProjectPlan("node", ("jsdom@30.0.1",))),
        caught.value.trials[0].result,
        "x",
        "at f (/node_modules/undici/lib/x.js:1:2)",
        1.0,
        unsupported=(
            Unsupported("jsdom@30.0.1", "^22.22.2 || >=26", "20.20.2"),
            Unsupported("tr46@7.0.0", ">=22", "20.20.2"),
            Unsupported("undici@8.12.4", ">=22.19.0", "20.20.2"),
        ),
    )
    assert next(_unsupported(named)) == (
        "installed packages need another version of Node.js than 20.20.2, which is installed here (jsdom@30.0.1 wants ^22.22.2 || >=26; undici@8.12.4 wants >=22.19.0): "
        "install one that fits, or name older versions of the packages with --requires"
    )
    assert [*_unsupported(replace(named, result=replace(named.result, passed=3)))] == []
