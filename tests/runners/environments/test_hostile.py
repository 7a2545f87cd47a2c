"""No text of a stranger ends finding out how a project is tested, and none makes it long: what cannot be read says nothing."""

import json
import time

import pytest

from runners.environments import NotTestable, WayTester, candidates
from runners.environments.python.python_candidates import PYTEST_REQUIREMENT
from tests.support.fakes.sandbox import FakeSandbox

MANY = "1" * 5000
CHAIN = range(1800)
HOSTILE = {
    "tox": {"tox.ini": f"[tox]\nenvlist = py3{MANY}\n"},
    "tox, shorter": {"tox.ini": f"[tox]\nenvlist = py3{MANY[:900]}\n"},
    ".python-version": {".python-version": f"3.{MANY}\n"},
    "requires-python": {"pyproject.toml": f'[project]\nrequires-python = ">=3.{MANY}"\n'},
    "versions": {"pyproject.toml": f'[project]\ndependencies = ["a>={MANY}", "b; python_version < \'3.{MANY}\'"]\n'},
    "poetry": {"pyproject.toml": f'[tool.poetry.dependencies]\npython = "~3.{MANY}"\na = "^{MANY}"\n'},
    "setup.cfg": {"setup.cfg": f"[options]\npython_requires = >=3.{MANY}\ninstall_requires =\n  a; python_version < '3.{MANY}'\n"},
    "setup.py": {"setup.py": f"from setuptools import setup\nsetup(python_requires='>=3.{MANY}', install_requires=['a>={MANY}'])\n"},
    "groups": {"pyproject.toml": "[dependency-groups]\n" + "".join(f'g{n} = [{{include-group = "g{n + 1}"}}]\n' for n in CHAIN)},
    "extras": {"pyproject.toml": '[project]\nname = "a"\n[project.optional-dependencies]\n' + "".join(f'g{n} = ["a[g{n + 1}]"]\n' for n in CHAIN)},
    "requirements": {"requirements.txt": "-r r0.txt\n", **{f"r{n}.txt": f"-r r{n + 1}.txt\n" for n in CHAIN}},
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_text_that_python_refuses_says_nothing(name):
    began = time.process_time()
    found = [each.plan for each in candidates({"tests/test_a.py": "", **HOSTILE[name]})]
    assert {(plan.toolchain, plan.requires[0]) for plan in found} == {("python", PYTEST_REQUIREMENT)}
    assert all(len(item) < 1000 for plan in found for item in plan.requires)
    assert time.process_time() - began < 5


def test_one_text_that_is_refused_takes_no_other_with_it():
    files = {"setup.cfg": "[options]\ninstall_requires = attrs\n", "tests/test_a.py": "", **HOSTILE["groups"]}
    assert next(candidates(files)).plan.requires == (PYTEST_REQUIREMENT, "attrs")


@pytest.mark.parametrize("sign", ["\ud800", "\0"])
async def test_a_command_that_no_program_can_be_given_is_none(sign, cache):
    manifest = json.dumps({"scripts": {"test": f"mocha {sign}"}, "devDependencies": {"mocha": "^10"}})
    files = {"package.json": manifest, "a.test.js": ""}
    with pytest.raises(NotTestable) as caught:
        await WayTester(FakeSandbox(print), cache, print).first_working(files, candidates(files))
    assert caught.value.trials == ()
