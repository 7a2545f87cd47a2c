"""Which programs may import packages."""

import pytest

from corpora.imports import needs_packages
from tests.support.devbench_programs import imports_of_python, imports_of_scripts

NEEDS = {
    "python": (
        ["import numpy", "import os, requests as r", "from PIL import Image", "if x:\n    import yaml", "a = 1; import cv2", "import xml.dom, pandas.io"],
        ["import os, \\\n  numpy", "import os, \\\n  sys, \\\n  numpy as np", "from \\\n  PIL import Image", "from os import (\n    path,\n)\nfrom numpy import (\n    array,\n)", "from numpy.linalg import (\n    norm\n)"],
        ["with patch('requests.get'): pass", "@mock.patch(\n    'requests.get',\n)\ndef f(m): pass", "patch(target='requests.get')", "patch.dict('requests.models.x')", "unittest.mock.patch.multiple('requests', get=1)", "patch(f'requests.{name}')", "patch(target)", "mocker.patch('requests.get')", "monkeypatch.setattr('requests.get', f)"],
        ["m = __import__(name)", "importlib.import_module('x')", "importlib.import_module('numpy' if x else 'os')", "look = importlib.import_module", "from importlib import import_module as find", "importlib.util.find_spec('torch')", "import pkgutil", "from importlib import metadata", "import importlib.metadata as m"],
        ["run(['-c', 'import numpy'])", "exec('''\nimport numpy\n''')", "exec(f'import {name}')", "exec(b'import numpy')", "run(['python', '-m', 'pytest'])", "run([sys.executable, '-m', name])", "spawn(sys.executable, '-m', 'black')", "system('python3 -m pip list')"],
        ["x = '\ud800'"],
        ["import os\nimport xml.dom.minidom as d, json", "from collections.abc import Set", "from . import x", "important = from_here", "patch('json.loads')", "from os import (\n    path,\n)", "import os, \\\n  sys"],
        ["# import numpy", "patch(f'{__name__}.get')", "patch(__name__ + '.get')", "requests.patch('/items')", "patch.object(thing, 'numpy.x')", "import importlib\nimportlib.import_module('json')", "print('we import it')", "setattr(x, 'numpy.y', 1)", "run(['python', '-m', 'json.tool'])", "print(x.patch)", "import numpy as"],
    ),
    "javascript": (
        ["const a = require('axios')", 'import x from "d3"', "import('ws')", "require('@scope/name')", "import 'jsdom/lib'", "jest.mock('axios')"],
        ["require(\n  'axios'\n)", "require(`axios`)", "import {\n  a,\n  b\n} from\n  'd3'", "export * from 'd3'", "await import(\n  // of graphs\n  'd3')", "require.resolve('axios')", "require\n('axios')", "require?.('axios')", "module.require('axios')", "import.meta.resolve('d3')"],
        ["require(name)", "require(`./${name}`)", "require('a' + b)", "module.createRequire(x)", "const load = require; load('axios')", "f(require)", "Module._load('x')", "const r = module.require"],
        ["eval(\"require('axios')\")", "spawn('node', ['-e', 'require(\"axios\")'])", "vm.run(`import x from 'd3'`)", "eval('require(\\'axios\\')')", "eval('require(name)')"],
        ["const a = require('axios'", "if (x { import('d3')", "f(; require(name)"],
        ["require('fs').x", "require('node:test')", "import x from 'fs/promises'", "require('./own')", "const important = 'axios'", "require(\n  `fs`\n)", "if (require.main === module) {}", "typeof require", "delete require.cache[1]"],
        ["// require('axios')", "Promise.resolve('axios')", "new Promise(resolve => resolve('done'))", "Array.from('axios')", "mock(fn)", "const f = require('fs'", "import {a} from 'fs'; f(;", "path.resolve('a')", "x = {require: 1}", "print('we require it')"],
    ),
    "typescript": (
        ["import axios from 'axios';", "import d3 = require('d3');", "declare module 'redux' {}", "import d3 = require(\n  'd3'\n);", "import type { A } from 'axios';", "type A = import('axios').B;", "let a: typeof import('axios');"],
        ['/// <reference types="jsdom" />'],
        ["import * as assert from 'assert';", "import { x } from './own';", "declare module 'fs' {}", "declare module Own {}", "import fs = require('fs');", "/// <reference lib='dom' />"],
    ),
}  # fmt: skip
NEEDS_NONE = {"python": 2, "javascript": 2, "typescript": 1}
"""How many of the lists at the end need none."""


@pytest.mark.parametrize("language", NEEDS)
def test_a_program_gets_packages_if_it_may_import_what_does_not_come_with_its_language(language):
    needs, own = NEEDS[language][: -NEEDS_NONE[language]], NEEDS[language][-NEEDS_NONE[language] :]
    assert [text for texts in needs for text in texts if not needs_packages(language, text)] == []
    assert [text for texts in own for text in texts if needs_packages(language, text)] == []


@pytest.mark.parametrize("language", ["java", "cpp", "csharp"])
def test_where_imports_are_not_known_a_program_gets_packages(language):
    assert needs_packages(language, "")


def test_every_python_program_whose_bytecode_imports_a_package_gets_them(shared):
    assert min(imports_of_python(shared)) > 0


def test_every_script_that_names_one_of_our_packages_in_an_import_gets_them(shared):
    assert imports_of_scripts(shared) > 0
