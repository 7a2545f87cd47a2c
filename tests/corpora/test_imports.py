"""Which programs may import packages."""

import dis
import re
import sys
import types
import warnings

import pytest

from corpora.corpus import corpus_of
from corpora.devbench.corpus import packages
from corpora.imports import needs_packages
from replay.records import Suggestion

OWN = sys.stdlib_module_names | {"__main__", "__future__"}
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


def programs(shared, *languages):
    """The programs of all ground truths, emptied documents and published answers, with their tasks."""
    corpus = corpus_of("devbench", shared / "devbench")
    tasks = corpus.tasks(languages, corpus.categories, packages=True, programs="evaluator")
    for task in tasks:
        yield task, task.tests.program(task.finished)
        yield task, task.tests.program(task.emptied)
    for model in ("gpt-4o", "Ministral-3B"):
        known = corpus.published(model, tasks)
        for task in tasks:
            at = task.moment().offset
            for answer in known.get(task.name, ()):
                yield task, task.tests.program(task.filled(Suggestion(text=answer, start=at, end=at, latency=0.0)))


def imported(code):
    """The modules that the instructions of a compiled program import."""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME":
            yield instruction.argval.partition(".")[0]
        if isinstance(instruction.argval, types.CodeType):
            yield from imported(instruction.argval)


def test_every_python_program_whose_bytecode_imports_a_package_gets_them(shared):
    """All ground truths and published answers, as the compiler sees them; what it does not compile imports nothing."""
    compiled, refused = 0, 0
    for task, text in programs(shared, "python"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = {*imported(compile(text, "program.py", "exec"))}
        except SyntaxError:
            refused += 1
            continue
        compiled += 1
        assert needs_packages("python", text) or not found - OWN, task.name
    assert (compiled > 2500, refused > 300) == (True, True)


def test_every_script_that_names_one_of_our_packages_in_an_import_gets_them(shared):
    """All ground truths and published answers, by the names of the packages behind a word of import, over line ends too."""
    names = {
        language: [re.escape(name.rsplit("@", 1)[0] or name) for name in known]
        for language, known in packages().items()
    }
    found = 0
    for task, text in programs(shared, "javascript", "typescript"):
        code = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
        known = "|".join(names[task.language])
        if re.search(rf"(?:require\s*\(|\bfrom|\bimport\s*\(?)\s*['\"`](?:{known})['\"`/]", code):
            found += 1
            assert needs_packages(task.language, text), task.name
    assert found > 500


def test_most_ground_truths_need_no_packages(shared):
    corpus = corpus_of("devbench", shared / "devbench")
    tasks = corpus.tasks(["python", "javascript", "typescript"], corpus.categories, packages=True)
    needing = [task.language for task in tasks if needs_packages(task.language, task.tests.program(task.finished))]
    assert {name: needing.count(name) for name in dict.fromkeys(needing)} == {
        "python": 59,
        "javascript": 74,
        "typescript": 52,
    }
