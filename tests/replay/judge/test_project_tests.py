"""Which tests a tape's project is judged by: the tape's, those of ghosttape.toml, and what flags say over either."""

import msgspec
import pytest
from tapes import Typist

from replay.errors import ProjectError
from replay.judge.baselines import plan_of_tests
from replay.judge.projects import setup_variables, with_tests
from replay.options import ReplayOptions
from replay.tapes.tape import PROJECTS, unknown_toolchain
from replay.tapes.tape import Tests as ProjectTests
from runners.toolchains import TOOLCHAINS

OWN = ProjectTests(toolchain="python", command="pytest", requires=("pytest",), setup="make", cwd="app", timeout_s=7.0)
FOLDERS = ProjectTests(toolchain="node", command="npm test", setup="npm ci")


def plan_of(own=None, **options):
    tests = with_tests(Typist(tests=own).tape(), ReplayOptions(**options)).header.tests
    return None if tests is None else plan_of_tests(tests)


def test_a_tapes_own_tests_count_before_those_of_the_folder():
    assert plan_of(OWN, project_tests=FOLDERS) == plan_of(OWN)
    assert plan_of(project_tests=FOLDERS) == plan_of(FOLDERS)


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


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ({}, True),
        ({"tests_over": {"command": "mine"}}, True),
        ({"tests_over": {"command": "mine", "setup": ""}}, False),
        ({"tests": False}, False),
    ],
)
def test_without_walls_the_commands_of_a_folder_do_not_run(options, refused):
    options = {"project_tests": FOLDERS, "sandbox": "none", **options}
    if refused:
        with pytest.raises(ProjectError, match=r"ghosttape\.toml: \[tests\]"):
            plan_of(**options)
    else:
        assert plan_of(**options) is not None
    assert plan_of(OWN, **options) is not None
