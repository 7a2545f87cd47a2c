"""What a toolchain installs, from the real package indexes, and that it does so once."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from runners.errors import IndexUnreachable, RequirementRefused, SetupFailed, ToolchainMissing
from runners.protocol import Job
from runners.sandboxes import make
from runners.toolchains import Unsupported, toolchain
from runners.toolchains.interpreters import own_interpreter
from runners.toolchains.layer_store import install, layer_folder
from runners.toolchains.node import unsupported_in
from runners.toolchains.python import _shown
from tests.support.places import ROOT
from tests.support.scale import sampled


def ignore(line):
    """Take no note of progress."""


@pytest.fixture
def node(missing):
    if not shutil.which("npm"):
        missing("npm is not on PATH")
    return toolchain("node")


async def test_python_packages_and_their_scripts_run_in_a_sandbox(python, sandbox, tmp_path):
    command = "python -c 'import iniconfig, sys; print(sys.prefix)' && pytest --version && head -1 /venv/bin/pytest"
    done = await sandbox.run(Job(tmp_path, command, env=python.env, mounts=python.mounts))
    assert done.stdout.splitlines()[0] == "/venv"
    assert done.stdout.splitlines()[1].startswith("pytest ")
    assert done.stdout.splitlines()[2] == "#!/usr/bin/env python"


async def test_python_packages_and_their_scripts_run_without_a_sandbox(python, tmp_path):
    command = "python -c 'import iniconfig' && pytest --version"
    done = await make("none").run(Job(tmp_path, command, env=python.env, mounts=python.mounts))
    assert done.stdout.startswith("pytest ")


async def test_a_layer_is_installed_once_whatever_the_order_of_its_names(python, cache):
    said = []
    layer = await toolchain("python").layer(("pytest>=8", "iniconfig >= 2"), cache, said.append)
    assert (layer, said) == (python, [])


async def test_node_packages_are_found_from_the_project(node, cache, bubblewrap, tmp_path):
    layer = await node.layer(("is-odd@^3.0.1",), cache, ignore)
    for name, sandbox in (("a", bubblewrap), ("b", make("none"))):
        (project := tmp_path / name / "deep").mkdir(parents=True)
        done = await sandbox.run(Job(project, "node -p 'require(`is-odd`)(3)'", env=layer.env, mounts=layer.mounts))
        assert (done.stdout, done.stderr) == ("true\n", "")


@pytest.mark.parametrize(
    "name",
    [
        "iniconfig @ https://example.invalid/x.whl",
        "git+https://example.invalid/x",
        "./here",
        "/there",
        "-r x",
        "--pre",
        "a b",
        "",
    ],
)
async def test_python_takes_names_only(name, cache):
    with pytest.raises(RequirementRefused):
        await toolchain("python").layer((name,), cache, ignore)


@pytest.mark.parametrize(
    "name",
    [
        "x@https://example.invalid/x.tgz",
        "user/repository",
        "x@user/y",
        "x@file:../y",
        "x@npm:y@1",
        "../x",
        "./x",
        "--global",
        "x@git+ssh:y",
        "",
    ],
)
async def test_node_takes_names_only(name, cache, node):
    with pytest.raises(RequirementRefused):
        await node.layer((name,), cache, ignore)


async def test_the_system_toolchain_installs_nothing(cache):
    with pytest.raises(RequirementRefused, match="make"):
        await toolchain("system").layer(("make",), cache, ignore)


def test_an_unknown_toolchain_is_told_with_the_known_ones():
    with pytest.raises(ToolchainMissing, match=r"cobol.*python.*node"):
        toolchain("cobol")


async def test_node_missing_is_told(cache, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolchainMissing, match=r"install Node\.js"):
        await toolchain("node").layer((), cache, ignore)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with keys in it."""
    (tmp_path / "home" / ".local" / "share").mkdir(parents=True)
    for key in ("id_key", ".local/share/key"):
        (tmp_path / "home" / key).write_text("secret")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("binary", "link"),
    sampled([("bin/node", ""), (".local/bin/node", ""), ("versions/node", "bin/node"), ("node-20", ".local/bin/node")]),
)
async def test_of_a_home_with_node_in_it_only_node_is_shown(
    binary, link, *, node, home, cache, sandbox, tmp_path, monkeypatch
):
    (home / binary).parent.mkdir(exist_ok=True)
    shutil.copy(Path(shutil.which("node")).resolve(), home / binary)
    program = home / (link or binary)
    program.parent.mkdir(exist_ok=True)
    if link:
        program.symlink_to(home / binary)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    layer = await node.layer((), cache, ignore)
    (project := tmp_path / "project").mkdir()
    command = f"node -p process.execPath && find {home} -type f"
    done = await sandbox.run(Job(project, command, env=layer.env, mounts=layer.mounts))
    ran, *shown = done.stdout.splitlines()
    assert ran in shown
    assert set(shown) <= {str(home / binary), str(program)}


@pytest.mark.parametrize("place", [".", ".local"])
async def test_of_a_home_with_python_in_it_only_python_is_shown(place, home, sandbox, tmp_path):
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for folder in ("bin", "lib"):
        (home / place / folder).mkdir()
    shutil.copy(Path(sys.executable).resolve(), home / place / "bin" / version)
    (home / place / "bin" / "python3").symlink_to(version)
    (home / place / "bin" / "python-notes").write_text("secret")
    skipped = shutil.ignore_patterns("site-packages", "dist-packages", "test", "tests", "__pycache__", "*.a")
    shutil.copytree(Path(os.__file__).parent, home / place / "lib" / version, ignore=skipped)
    mounts = _shown(replace(own_interpreter(), prefix=str(home / place)), [home])
    (project := tmp_path / "project").mkdir()
    command = (
        f"{home / place}/bin/python3 -c 'import sys, ssl, ctypes; print(sys.base_prefix)'"
        f"; find {home} -type f ! -path '*/lib/{version}/*' | sort"
    )
    done = await sandbox.run(Job(project, command, mounts=tuple(mounts)))
    names = [str(home / place / "bin" / name) for name in ("python3", version)]
    assert done.stdout.splitlines() == [str(home / place), *names]


def test_of_a_root_folder_with_python_in_it_nothing_more_is_shown(home):
    assert not [
        mount for mount in _shown(replace(own_interpreter(), prefix="/"), [home]) if home.is_relative_to(mount.source)
    ]


async def test_one_layer_asked_for_many_times_at_once_is_built_once(tmp_path):
    built = []

    async def build(folder):
        built.append(folder)
        await asyncio.sleep(0.05)
        (folder / "file").write_text("whole")

    folders = await asyncio.gather(*(layer_folder(tmp_path, "kind", ["content"], build) for _ in range(5)))
    assert len(built) == len(set(folders)) == 1
    assert (folders[0] / "file").read_text() == "whole"


async def test_a_layer_whose_builder_was_killed_is_built_anew(tmp_path):
    code = (
        "import asyncio, os, sys; from pathlib import Path; from runners.toolchains.layer_store import layer_folder\n"
        "async def build(folder): (folder / 'half').touch(); os.kill(os.getpid(), 9)\n"
        "asyncio.run(layer_folder(Path(sys.argv[1]), 'kind', ['content'], build))"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, tmp_path, cwd=ROOT)
    assert await process.wait() == -signal.SIGKILL

    async def build(folder):
        assert not list(folder.iterdir())
        (folder / "whole").touch()

    folder = await layer_folder(tmp_path, "kind", ["content"], build)
    assert [file.name for file in folder.iterdir()] == ["whole"]


async def test_installers_soon_say_that_there_is_no_network_unless_the_person_says_otherwise(tmp_path):
    """What pip itself reads from the environment that it is run with."""
    asked = 'import os, sys; sys.exit(" ".join((os.environ["PIP_RETRIES"], os.environ["npm_config_fetch_retries"])))'
    for own, told in (({}, "2 1"), ({"PIP_RETRIES": "7"}, "7 1")):
        with pytest.raises(SetupFailed, match=told):
            await install([sys.executable, "-c", asked], tmp_path, own)


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("NewConnectionError: [Errno -3] Temporary failure in name resolution", IndexUnreachable),
        ("npm error code EAI_AGAIN\nnpm error request to https://registry.npmjs.org/ava failed", IndexUnreachable),
        ("ERROR: No matching distribution found for nope", SetupFailed),
    ],
)
async def test_an_index_that_cannot_be_reached_is_told_from_a_package_that_is_not_there(said, error, tmp_path):
    with pytest.raises(SetupFailed) as caught:
        await install(["sh", "-c", 'echo "$1" >&2; exit 1', "sh", said], tmp_path, {"PATH": os.environ["PATH"]})
    assert type(caught.value) is error


NPM_WARNS = """npm warn EBADENGINE Unsupported engine {
npm warn EBADENGINE   package: 'jsdom@30.0.1',
npm warn EBADENGINE   required: { node: '^22.22.2 || ^24.15.0 || >=26.0.0' },
npm warn EBADENGINE   current: { node: 'v20.20.2', npm: '11.19.1' }
npm warn EBADENGINE }

added 39 packages in 6s
"""


def test_packages_for_another_node_are_read_from_what_npm_warns_of():
    assert unsupported_in(NPM_WARNS) == (Unsupported("jsdom@30.0.1", "^22.22.2 || ^24.15.0 || >=26.0.0", "20.20.2"),)
    assert unsupported_in("added 39 packages in 6s\n") == ()


async def test_what_npm_warned_of_is_kept_with_the_layer(cache, need):
    need("node", "npm")
    for _ in range(2):
        layer = await toolchain("node").layer(["tr46@7.0.0"], cache, lambda _: None)
        node = int(
            subprocess.run(["node", "-p", "process.versions.node"], capture_output=True, check=True).stdout.split(b".")[
                0
            ]
        )
        assert [each.package for each in layer.unsupported] == (["tr46@7.0.0"] if node < 22 else [])
