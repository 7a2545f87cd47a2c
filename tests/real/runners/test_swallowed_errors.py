"""No handler of a model's makes an error vanish, in TypeScript."""

import pytest

from runners.programs import Program

pytestmark = pytest.mark.asyncio(loop_scope="session")
HANDLERS = [
    "process.on('uncaughtException', () => {}); process.on('unhandledRejection', () => {});",
    "for (const event of ['uncaughtException', 'unhandledRejection']) process.once(event, (e) => console.error(e.message));",
    "process.setUncaughtExceptionCaptureCallback(() => {});",
    "process['on']('uncaught' + 'Exception', () => {});",
]


FAILS = {
    "rejection": "Promise.resolve().then(() => require('assert')(false));",
    "exception": "setTimeout(() => { throw new Error('late'); }, 1);",
}


@pytest.fixture
def run(programs, need_for):
    """Return a function that runs a program of which the model wrote the line of this number."""

    async def judge(lines, written, language="javascript"):
        need_for(language)
        program = Program(language, "\n".join(lines) + "\n", written=(written, written))
        return await programs.run(program, timeout_s=60.0)

    return judge


async def test_the_same_in_typescript(run):
    assert (await run([HANDLERS[0], FAILS["exception"]], 1, "typescript")).verdict_class == "exception"
