"""Projects drawn at random: for every graft, the tests that touch it say what all tests say."""

from random import Random

import pytest

from runners.coverage import record_coverage
from runners.coverage.function_spans import bodies
from runners.project import ProjectPlan, prepare
from runners.verdicts import against_baseline, restrict_to

PLANS = {
    "node --test": ProjectPlan("node", command="node --test", timeout_s=60.0),
    "mocha": ProjectPlan("node", ("mocha@11",), command="mocha 'test/*.test.js'", timeout_s=60.0),
}
SHAPES = (
    "function {}(x) {{\n  return {};\n}}\n",
    "const {} = (x) => {};\n",
    "const {} = function (x) {{ 'use strict'; return {} }};\n",
    "const {} = async (x) => {{\n  await null;\n  return {};\n}};\n",
)
MEMOISED = """\
let own{0};
const made{0} = () => (own{0} ??= make{0}());
const {0} = (y) => ((x = y), value(made{0}().run()));
function make{0}() {{
  {1}
}}
"""
SHARED = "let x;\nconst value = (one) => (Object(one) === one ? one.value : one);\n"
CLOSURES = (
    "return {{ run() {{ return {}; }} }};",
    "const run = () => {};\n  return {{ run }};",
    "const run = (z = {}) => z;\n  return {{ run }};",
    "return {{ get run() {{ const now = {}; return () => now }} }};",
    "return {{ run: Reflect.construct.bind(null, class {{ value = {} }}, []) }};",
    "const all = (function* () {{ yield; for (;;) yield {} }})();\n  all.next();\n  return {{ run: all.next.bind(all) }};",
)
HEADS = {"node --test": "const test = require('node:test');\n", "mocha": "const test = it;\n"}
HEAD = "const assert = require('node:assert');\nconst { spawnSync } = require('node:child_process');\n"
GRAFTS = (
    "{}",
    "({}) + 1",
    "x.missing.y",
    "undeclared",
    "1 +* 2",
    "typeof process === 'object' ? {} : 0",
    "x > 2 ? 'large' : {}",
)


class Drawn:
    """A few modules whose functions call those before them, some of them at import, and tests of some.

    Some functions are closures that one call makes for all; the first test of such a project makes them and calls none.
    """

    def __init__(self, seed, runner):
        self.random, self.head = Random(seed), HEADS[runner] + HEAD
        self.files, self.values, self.expressions, self.waits, self.memoised = {}, [], [], [], []
        modules = [self._module(number) for number in range(3)]
        self.files |= {f"m{number}.js": text for number, text in enumerate(modules)}
        self.files |= {f"test/t{number}.test.js": self._tests() for number in range(4)}
        self.files["test/a.test.js"] = self.head + "".join(
            f"test('makes {name}', () => assert(require('../m{module}.js').made{name}()));\n"
            for module, name in self.memoised
        )

    def _module(self, number):
        loads = "".join(f"const m{before} = require('./m{before}.js');\n" for before in range(number))
        own, names = "", []
        for _ in range(self.random.randint(1, 4)):
            name = f"f{len(self.values)}"
            own += self._function(name, number, names)
            names.append((name, len(self.values) - 1))
        made = [f"made{name}" for module, name in self.memoised if module == number]
        exported = ", ".join([*(name for name, _ in names), *made])
        return f"{loads}{SHARED}{own}module.exports = {{ {exported} }};\n"

    def _function(self, name, module, own):
        """A function of its argument and perhaps of one before it, or of what that one said at import."""
        one, other = self.random.randint(1, 5), self.random.randint(0, 9)
        expression, before, text = f"x * {one} + {other}", lambda x: 0, ""
        usable = [(call, at) for call, at in self._callable(module, own) if not self.waits[at]]
        if usable and self.random.random() < 0.7:
            call, at = self.random.choice(usable)
            if self.random.random() < 0.3:
                text = f"const K{name} = {call}(2);\n"
                expression, before = f"{expression} + K{name}", lambda x: self.values[at](2)
            else:
                expression, before = f"{expression} + {call}(x)", self.values[at]
        shape = self._shape(name, module)
        self.values.append(lambda x: x * one + other + before(x))
        self.expressions.append((f"m{module}.js", expression))
        self.waits.append("async" in shape)
        return text + shape.format(name, expression)

    def _shape(self, name, module):
        if self.random.random() < 0.5:
            return self.random.choice(SHAPES)
        self.memoised.append((module, name))
        return MEMOISED.replace("{1}", self.random.choice(CLOSURES).replace("{}", "{1}"))

    def _callable(self, module, own):
        counted = {at for _, at in own}
        others = [at for at in range(len(self.values)) if at not in counted]
        return [*own, *((f"{self.expressions[at][0].removesuffix('.js')}.f{at}", at) for at in others)]

    def _tests(self):
        chosen = self.random.sample(range(len(self.values)), min(2, len(self.values)))
        modules = sorted({self.expressions[number][0].removesuffix(".js") for number in chosen})
        text = self.head + "".join(f"const {name} = require('../{name}.js');\n" for name in modules)
        for number in chosen:
            argument = self.random.randint(0, 4)
            text += self._test(f"t{number}", number, argument, self.values[number](argument))
        return text

    def _test(self, title, number, argument, value):
        call = f"{self.expressions[number][0].removesuffix('.js')}.f{number}({argument})"
        if self.random.random() < 0.15:
            inner = call.replace(".", ".js').", 1)
            code = f"(async () => process.exit((await require('./{inner}) === {value} ? 7 : 1))()"
            return f"test('{title}', () => assert.equal(spawnSync(process.execPath, ['-e', {code!r}]).status, 7));\n"
        if self.random.random() < 0.3:
            return f"const v{number} = {call};\ntest('{title}', async () => assert.equal(await v{number}, {value}));\n"
        return f"test('{title}', async () => assert.equal(await {call}, {value}));\n"

    def graft(self, number, graft):
        """The file with another expression in one of its functions, and the lines of the function."""
        path, expression = self.expressions[number]
        text = self.files[path]
        at = text.index(expression, text.index(f" f{number}"))
        body = next(body for body in bodies(path, text) if body.start <= at < body.end)
        lines = text.count("\n", 0, body.start) + 1, text.count("\n", 0, body.end) + 1
        return path, text[:at] + graft.format(expression) + text[at + len(expression) :], lines


async def compare(project, graft, found, whole):
    """What some of the tests say of a graft, and all of them; None where all of them run anyway."""
    path, text, lines = graft
    only = found.touching(path, *lines)
    if only is None:
        return None
    some = against_baseline(await project.run({path: text}, only), restrict_to(whole, only))
    return some, against_baseline(await project.run({path: text}), whole)


@pytest.mark.parametrize(("runner", "seed"), [("node --test", 0), ("mocha", 2), ("mocha", 3)])
async def test_for_every_graft_the_tests_that_touch_it_say_what_all_tests_say(runner, seed, bubblewrap, cache, need):
    need("node", "npm")
    drawn, compared = Drawn(seed, runner), 0
    project = await prepare(drawn.files, PLANS[runner], bubblewrap, cache, lambda _: None)
    try:
        whole, found = await record_coverage(project, cache, lambda _: None)
        assert whole.verdict_class == "passed", whole.log
        assert found is not None
        for number in range(len(drawn.values)):
            graft = drawn.graft(number, drawn.random.choice(GRAFTS))
            both = await compare(project, graft, found, whole)
            if both is not None:
                assert both[0].verdict_class == both[1].verdict_class, (drawn.files, graft, both)
                compared += 1
    finally:
        project.close()
    assert compared, "no function is touched by some of the tests only: draw another project"
