"""Run a Python program as `python FILE` would, and say on standard error whether it came to its end.

Runs inside the sandbox, with nothing but the standard library: `python drive.py FILE`. Without `GHOSTTAPE_WITNESS` in the
environment it says nothing.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable
from types import ModuleType, TracebackType


def run(path: str, say: Callable[[str], None]) -> None:
    """Execute the program as `__main__`, and say "end", or "exit" with the line that left it with status 0."""
    path = os.path.abspath(path)  # noqa: PTH100 - pathlib takes longer to import than most programs to run
    sys.argv, sys.path[0] = [path], os.path.dirname(path)  # noqa: PTH120
    sys.excepthook = _without_driver
    with open(path, "rb") as file:  # noqa: PTH123
        source = file.read()
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__)
    code = compile(source, path, "exec", dont_inherit=True)
    try:
        exec(code, main.__dict__)  # noqa: S102 - it is what we are here for
    except SystemExit as left:
        if not left.code:
            say(_left(source, path, left.__traceback__))
        raise
    say("end")


def _left(source: bytes, path: str, trace: TracebackType | None) -> str:
    """Return "end" if the last statement of the file left it (`sys.exit(main())`), else "exit" and the line."""
    name, line = "", 0
    while trace:
        if trace.tb_frame.f_code.co_filename == path:
            name, line = trace.tb_frame.f_code.co_name, trace.tb_lineno
        trace = trace.tb_next
    first, last = _last_statement(ast.parse(source).body)
    return "end" if name == "<module>" and first <= line <= last else f"exit {line}"


def _last_statement(body: list[ast.stmt]) -> tuple[int, int]:
    """Return the lines of the last statement that does something, inside of `if __name__ == "__main__":` too."""
    last = body[-1]
    while isinstance(last, ast.If | ast.With) and not getattr(last, "orelse", []):
        last = last.body[-1]
    return last.lineno, last.end_lineno or last.lineno


def _without_driver(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    while trace and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.__excepthook__(kind, error, trace)


def main() -> None:
    """Run the file named on the command line."""
    nonce, errors, process = os.environ.pop("GHOSTTAPE_WITNESS", ""), os.dup(2), os.getpid()
    os.environ.pop("GHOSTTAPE", None)

    def say(word: str) -> None:
        if nonce and os.getpid() == process:
            sys.stdout.flush()
            sys.stderr.flush()
            os.write(errors, f"\n{nonce} {word}\n".encode())

    run(sys.argv[1], say)


if __name__ == "__main__":
    main()
