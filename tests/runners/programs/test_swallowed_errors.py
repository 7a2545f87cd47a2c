"""Errors that nothing caught, in programs whose model wrote a handler for such: an assertion must not vanish in it."""

import pytest

from runners.programs import Program

pytestmark = pytest.mark.asyncio(loop_scope="session")
FAILS = {
    "rejection": "Promise.resolve().then(() => require('assert')(false));",
    "exception": "setTimeout(() => { throw new Error('late'); }, 1);",
}
HANDLERS = [
    "process.on('uncaughtException', () => {}); process.on('unhandledRejection', () => {});",
    "for (const event of ['uncaughtException', 'unhandledRejection']) process.once(event, (e) => console.error(e.message));",
    "process.setUncaughtExceptionCaptureCallback(() => {});",
    "process['on']('uncaught' + 'Exception', () => {});",
]


@pytest.fixture
def run(programs, need_for):
    """Return a function that runs a program of which the model wrote the line of this number."""

    async def judge(lines, written, language="javascript"):
        need_for(language)
        program = Program(language, "\n".join(lines) + "\n", written=(written, written))
        return await programs.run(program, timeout_s=60.0)

    return judge


@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("fails", FAILS.values(), ids=FAILS)
async def test_no_handler_of_the_models_makes_an_error_vanish(handler, fails, run):
    assert (await run([handler, fails], 1)).verdict_class == "exception"


@pytest.mark.parametrize("handler", HANDLERS)
async def test_a_handler_that_hears_nothing_changes_nothing(handler, run):
    assert (await run([handler, "console.log('fine');"], 1)).verdict_class == "passed"


async def test_a_handler_in_the_lines_of_others_is_believed(run):
    assert (await run([HANDLERS[0], "let fine = 1;", *FAILS.values()], 2)).verdict_class == "passed"
