"""What the files of a Python project name is read from each form in which people write it."""

from pathlib import PurePosixPath

import pytest

from runners.environments.python.declared import declared_as, of_pipfile, of_poetry, of_pyproject, of_setup_cfg, use_of

ROOT = PurePosixPath()


def found(reader, text, name="pyproject.toml"):
    return [(each.requirement, each.use, each.source.partition(" ")[2]) for each in reader({name: text}, ROOT)]


def test_standard_dependencies_and_extras_with_what_they_are_for():
    text = """
[project]
name = "Own.Project"
dependencies = ["attrs>=23", "typing-extensions; python_version < '3.11'"]
[project.optional-dependencies]
test = ["freezegun"]
docs = ["sphinx>=7"]
"""
    assert found(of_pyproject, text) == [
        ("attrs>=23", "run", "[project]"),
        ('typing-extensions; python_version < "3.11"', "run", "[project]"),
        ("freezegun", "test", "[project.optional-dependencies] test"),
        ("sphinx>=7", "other", "[project.optional-dependencies] docs"),
    ]


def test_an_extra_that_names_extras_of_the_project_itself_has_their_members():
    text = """
[project]
name = "Own.Project"
[project.optional-dependencies]
all = ["own_project[test,fast]", "rich"]
test = ["freezegun", "own-project[all]"]
fast = ["orjson"]
"""
    own = {name for name, _, source in found(of_pyproject, text) if source.endswith(" all")}
    assert own == {"freezegun", "orjson", "rich"}


def test_a_group_has_the_members_of_those_that_it_includes():
    text = """
[dependency-groups]
dev = [{include-group = "tests"}, "ruff"]
tests = ["freezegun", {include-group = "dev"}, {include-group = "none"}, {other = 1}]
"""
    assert found(of_pyproject, text) == [
        ("freezegun", "other", "[dependency-groups] dev"),
        ("ruff", "other", "[dependency-groups] dev"),
        ("freezegun", "test", "[dependency-groups] tests"),
        ("ruff", "test", "[dependency-groups] tests"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[tool.pdm.dev-dependencies]\ntest = ["freezegun"]', [("freezegun", "test", "[tool.pdm] test")]),
        ('[tool.pdm.dev-dependencies]\nlint = ["ruff"]', [("ruff", "other", "[tool.pdm] lint")]),
        (
            '[tool.hatch.envs.default]\ndependencies = ["freezegun"]\nextra-dependencies = ["respx"]',
            [("freezegun", "test", "[tool.hatch.envs.default]"), ("respx", "test", "[tool.hatch.envs.default]")],
        ),
        (
            '[tool.hatch.envs.hatch-test]\nextra-dependencies = ["respx"]',
            [("respx", "test", "[tool.hatch.envs.hatch-test]")],
        ),
        ('[tool.hatch.envs.docs]\ndependencies = ["mkdocs"]', [("mkdocs", "other", "[tool.hatch.envs.docs]")]),
        ('[tool.uv]\ndev-dependencies = ["respx"]', [("respx", "other", "[tool.uv]")]),
        (
            '[tool.flit.metadata]\nrequires = ["attrs"]\n[tool.flit.metadata.requires-extra]\ntest = ["respx"]\ndoc = ["sphinx"]',
            [
                ("attrs", "run", "[tool.flit.metadata]"),
                ("respx", "test", "[tool.flit.metadata] test"),
                ("sphinx", "other", "[tool.flit.metadata] doc"),
            ],
        ),
    ],
)
def test_the_tables_of_tools_are_read(text, expected):
    assert found(of_pyproject, text) == expected


@pytest.mark.parametrize(
    "item", ["evil @ https://host/x.whl", "git+https://host/x", "./here", "-e .", "$(x)", "a; b", "`x`", "", "a b"]
)
def test_what_no_index_can_serve_is_left_out(item):
    text = f"[project]\ndependencies = ['attrs', '{item}', 'rich']"
    assert [name for name, _, _ in found(of_pyproject, text)] == ["attrs", "rich"]


def test_the_tables_of_poetry_are_read_with_extras_markers_and_groups():
    text = """
[tool.poetry.dependencies]
python = "^3.11"
attrs = "^23.1"
rich = {version = "~13.2", extras = ["jupyter"], markers = "sys_platform == 'linux'"}
own = {path = "../own"}
forked = {git = "https://host/forked.git"}
packed = {url = "https://host/packed.whl"}
several = [{version = "1.0", python = "<3.8"}, {version = "2.0", python = ">=3.8"}]
[tool.poetry.dev-dependencies]
freezegun = "*"
[tool.poetry.group.dev.dependencies]
respx = "0.20"
[tool.poetry.group.docs.dependencies]
sphinx = ">=7"
"""
    assert found(of_poetry, text) == [
        ("attrs<24,>=23.1", "run", "[tool.poetry.dependencies]"),
        ('rich[jupyter]<13.3,>=13.2; sys_platform == "linux"', "run", "[tool.poetry.dependencies]"),
        ("several==2.0", "run", "[tool.poetry.dependencies]"),
        ("freezegun", "test", "[tool.poetry.dev-dependencies]"),
        ("respx==0.20", "test", "[tool.poetry.group.dev]"),
        ("sphinx>=7", "other", "[tool.poetry.group.docs]"),
    ]


def test_setup_cfg_is_read_without_its_comments():
    text = """
[options]
install_requires =
    attrs>=23  # classes
    # nothing
    typing-extensions; python_version < "3.11"
tests_require = freezegun
[options.extras_require]
testing =
    respx
docs = sphinx
"""
    assert found(of_setup_cfg, text, "setup.cfg") == [
        ("attrs>=23", "run", "[options]"),
        ('typing-extensions; python_version < "3.11"', "run", "[options]"),
        ("freezegun", "test", "[options] tests_require"),
        ("respx", "test", "[options.extras_require] testing"),
        ("sphinx", "other", "[options.extras_require] docs"),
    ]


def test_a_pipfile_is_read():
    text = '[packages]\nattrs = "*"\nrich = {version = ">=13", extras = ["jupyter"]}\nown = {path = "."}\n[dev-packages]\nfreezegun = "==1.5"\n'
    assert found(of_pipfile, text, "Pipfile") == [
        ("attrs", "run", "[packages]"),
        ("rich[jupyter]>=13", "run", "[packages]"),
        ("freezegun==1.5", "test", "[dev-packages]"),
    ]


@pytest.mark.parametrize(
    ("group", "use"),
    [("test", "test"), ("tests", "test"), ("unit-tests", "test"), ("testing", "test"), ("ci", "test"), ("pytest", "test"), ("dev", "other"), ("latest", "other"), ("contest", "other"), ("docs", "other"), ("check", "test")],
)  # fmt: skip
def test_what_a_group_is_for_is_told_by_its_name(group, use):
    assert use_of(group) == use


def test_what_is_for_another_interpreter_is_not_for_here():
    items = ['pytest<8; python_version < "3.8"', 'pytest>=8; python_version >= "3.8"', 'rich; extra == "x"', "attrs"]
    assert [each.is_for("3.11.7") for each in declared_as(items, "test", "")] == [False, True, False, True]
