"""The VS Code extension from a clean checkout of its folder: installed, checked, tested, packaged."""

import json
import zipfile

MOST_BYTES = 2 << 20
"""The package is downloaded by every window that installs it."""


def test_the_types_are_right(npm):
    npm("run", "typecheck")


def test_the_linter_finds_nothing(npm):
    npm("run", "lint")


def test_a_package_comes_out_with_the_program_in_it_and_no_sources(vsix):
    assert vsix.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(vsix) as archive:
        names = set(archive.namelist())
        manifest = json.loads(archive.read("extension/package.json"))
    assert f"extension/{manifest['main'].removeprefix('./')}" in names
    assert not [name for name in names if name.endswith(".ts") or "node_modules" in name]


def test_the_lock_file_installs_just_what_it_says(npm, extension):
    wanted = json.loads((extension / "package.json").read_text())["devDependencies"]
    installed = json.loads(npm("ls", "--json", "--depth=0"))
    assert set(installed["dependencies"]) == set(wanted)
    assert "problems" not in installed
