"""Which tests a tape's project is judged by: what flags say, then ghosttape.toml, then the tape, member by member."""

import msgspec
import pytest

from replay.errors import ProjectError
from replay.judge.baselines import plan_of_tests
from replay.judge.tape_project import origins_of_tests, setup_variables, with_tests
from replay.options import FolderTests, ReplayOptions
from replay.tapes.tape import PROJECTS, unknown_toolchain
from replay.tapes.tape import Tests as ProjectTests
from runners.toolchains import TOOLCHAINS
from tests.support.tapes import Typist

OWN = ProjectTests(toolchain="python", command="pytest", requires=("pytest",), setup="make", cwd="app", timeout_s=7.0)
FOLDERS = FolderTests(toolchain="node", command="npm test", setup="npm ci")


def plan_of(own=None, **options):
    tests = with_tests(Typist(tests=own).tape(), ReplayOptions(**options)).header.tests
    return None if tests is None else plan_of_tests(tests)


def test_what_the_folder_names_counts_before_the_tapes_own_and_leaves_what_it_does_not_name():
    plan = plan_of(OWN, project_tests=FOLDERS)
    assert (plan.toolchain, plan.command, plan.setup) == ("node", "npm test", "npm ci")
    assert (plan.cwd, plan.timeout_s) == ("app", 7.0)
    only = plan_of(OWN, project_tests=FolderTests(requires=("freezegun",)))
    assert (only.toolchain, only.command, only.setup, only.requires) == ("python", "pytest", "make", ("freezegun",))
    alone = plan_of(project_tests=FOLDERS)
    assert (alone.toolchain, alone.command, alone.setup, alone.cwd) == ("node", "npm test", "npm ci", ".")


def test_a_folder_can_take_away_what_a_tape_says():
    plan = plan_of(OWN, project_tests=FolderTests(setup="", requires=()))
    assert (plan.setup, plan.requires, plan.command) == ("", (), "pytest")


def test_a_folder_without_a_command_makes_no_tests_for_a_tape_that_has_none():
    assert plan_of(project_tests=FolderTests(requires=("freezegun",))) is None


def test_packages_of_flags_are_added_to_those_that_count():
    assert plan_of(OWN, also_requires=("freezegun", "pytest")).requires == ("pytest", "freezegun")
    folders = FolderTests(requires=("hypothesis",))
    assert plan_of(OWN, project_tests=folders, also_requires=("freezegun",)).requires == ("hypothesis", "freezegun")
    assert plan_of(tests_over={"command": "true"}, also_requires=("a",)).requires == ("a",)
    with pytest.raises(ProjectError, match="--test-command"):
        plan_of(also_requires=("a",))


def test_packages_do_not_outlive_the_toolchain_whose_registry_names_them():
    assert plan_of(OWN, tests_over={"toolchain": "node"}).requires == ()
    assert plan_of(OWN, project_tests=FOLDERS, also_requires=("vitest",)).requires == ("vitest",)
    node = ProjectTests(toolchain="node", command="npx vitest run", requires=("vitest@3",))
    assert plan_of(node, tests_over={"toolchain": "typescript"}).requires == ("vitest@3",)
    assert plan_of(OWN, tests_over={"toolchain": "python"}).requires == ("pytest",)


def test_it_is_known_where_each_member_comes_from():
    options = ReplayOptions(
        project_tests=FolderTests(requires=("a",), timeout_s=5.0), tests_over={"command": "tox"}, also_requires=("b",)
    )
    assert origins_of_tests(OWN, options) == {
        "toolchain": "tape",
        "command": "flag",
        "requires": "ghosttape.toml and flag",
        "setup": "tape",
        "cwd": "tape",
        "timeout_s": "ghosttape.toml",
    }
    bare = ProjectTests(toolchain="none", command="true")
    assert origins_of_tests(bare, ReplayOptions()) == {"toolchain": "tape", "command": "tape"}
    assert origins_of_tests(None, ReplayOptions(also_requires=("b",), tests_over={"command": "x"})) == {
        "command": "flag",
        "requires": "flag",
    }
    assert origins_of_tests(None, ReplayOptions()) == {}


@pytest.mark.parametrize("named", [{"command": " "}, {"timeout_s": 0.0}, {"cwd": "../x"}, {"toolchain": "cobol"}])
def test_a_folders_file_may_say_nothing_that_a_tape_may_not(named):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(named, FolderTests)


def test_where_nothing_says_how_a_project_is_tested_it_is_not():
    assert plan_of() is None
    assert plan_of(network_setup=True) is None


def test_flags_count_before_both_and_leave_what_they_do_not_name():
    plan = plan_of(OWN, tests_over={"setup": "", "command": "tox"})
    assert (plan.toolchain, plan.command, plan.setup) == ("python", "tox", "")
    assert (plan.requires, plan.cwd, plan.timeout_s) == (OWN.requires, "app", 7.0)
    assert plan_of(project_tests=FOLDERS, tests_over={"toolchain": "java"}).toolchain == "java"


def test_a_command_is_enough_where_nothing_else_is_said():
    plan = plan_of(tests_over={"command": "make check"})
    assert (plan.toolchain, plan.command, plan.requires, plan.setup) == ("system", "make check", (), "")


def test_a_setup_without_a_command_is_refused():
    with pytest.raises(ProjectError, match="--test-command"):
        plan_of(tests_over={"setup": "make"})


@pytest.mark.parametrize("own", [OWN, None])
def test_an_unknown_toolchain_is_refused_with_the_known_ones(own):
    with pytest.raises(ProjectError, match=r"no toolchain 'cobol': choose one of python, node, .*java, cpp, .*none"):
        plan_of(own, tests_over={"toolchain": "cobol", "command": "true"})


def test_a_tape_that_names_an_unknown_toolchain_is_refused_with_the_known_ones():
    with pytest.raises(msgspec.ValidationError, match=r"no toolchain 'cobol': choose one of python, .*none"):
        msgspec.json.decode(b'{"toolchain": "cobol", "command": "true"}', type=ProjectTests)


def test_every_toolchain_is_one_of_projects_and_none_stands_for_the_system():
    assert set(PROJECTS) - {"none"} == set(TOOLCHAINS) - {"system"}
    assert not unknown_toolchain("none")
    assert unknown_toolchain("system")


def test_a_toolchain_may_name_a_version_of_python_and_keeps_the_packages():
    assert not unknown_toolchain("python3.9")
    assert unknown_toolchain("node3.9")
    assert unknown_toolchain("python3.9\n")
    plan = plan_of(OWN, tests_over={"toolchain": "python3.9"})
    assert (plan.toolchain, plan.requires, plan.command) == ("python3.9", OWN.requires, OWN.command)


def test_the_network_and_variables_are_the_users_to_allow(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://p")
    assert (plan_of(OWN).network, plan_of(OWN).setup_env) == (False, {})
    plan = plan_of(OWN, network_setup=True, setup_env=("HTTPS_PROXY",))
    assert (plan.network, plan.setup_env) == (True, {"HTTPS_PROXY": "http://p"})


@pytest.mark.parametrize("word", ["network", "variables"])
def test_no_tape_can_allow_itself_the_network(word):
    with pytest.raises(msgspec.ValidationError, match=word):
        msgspec.json.decode(b'{"toolchain": "none", "command": "", "%s": []}' % word.encode(), type=ProjectTests)


def test_a_variable_that_is_not_set_is_told():
    tests = with_tests(Typist(tests=OWN).tape(), ReplayOptions(setup_env=("HTTPS_PROXY",))).header.tests
    with pytest.raises(ProjectError, match="--setup-env HTTPS_PROXY: there is no such variable"):
        setup_variables(tests, {})


@pytest.mark.parametrize("own", [OWN, None])
@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ({}, True),
        ({"tests_over": {"command": "mine"}}, True),
        ({"tests_over": {"command": "mine", "setup": ""}}, False),
        ({"tests": False}, False),
    ],
)
def test_without_walls_the_commands_of_a_folder_do_not_run(own, options, refused):
    options = {"project_tests": FOLDERS, "sandbox": "none", **options}
    if refused:
        with pytest.raises(ProjectError, match=r"ghosttape\.toml: \[tests\]"):
            plan_of(own, **options)
    else:
        assert plan_of(own, **options) is not None


@pytest.mark.parametrize(
    ("folders", "options", "refused"),
    [
        ({"requires": ("evil",)}, {}, True),
        ({"requires": ("evil",)}, {"tests_over": {"command": "mine", "setup": ""}}, True),
        ({"requires": ("evil",)}, {"also_requires": ("freezegun",)}, True),
        ({"requires": ("freezegun",)}, {"also_requires": ("freezegun",)}, False),
        ({"requires": ("evil",)}, {"tests_over": {"toolchain": "none"}}, False),
        ({"setup": "curl"}, {}, True),
        ({"setup": "", "timeout_s": 5.0, "toolchain": "python"}, {}, False),
    ],
)
def test_without_walls_one_member_of_a_folder_that_brings_code_is_refused(folders, options, refused):
    options = {"project_tests": FolderTests(**folders), "sandbox": "none", **options}
    if refused:
        with pytest.raises(ProjectError, match=r"--setup, --test-command and --requires"):
            plan_of(OWN, **options)
    else:
        assert plan_of(OWN, **options) is not None
