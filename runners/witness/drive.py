"""Run a Python program as `python FILE` would, and say on standard error whether it came to its end.

Runs inside the sandbox, with nothing but the standard library: `python drive.py FILE`. Without a file `.witness`, which holds
the number of this run, it says nothing. The program stands on a single frame of this file, and may use as many as ever.
"""

from __future__ import annotations

import ast
import builtins
import fcntl
import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import NoReturn

_FAR = 1000
"""Where our descriptor lies: out of the way of programs that close all they know of."""


def _errors() -> int:
    try:
        return fcntl.fcntl(2, fcntl.F_DUPFD_CLOEXEC, _FAR)
    except OSError:  # so many may not be opened here
        return os.dup(2)


def _voice() -> Callable[[str], None]:
    """Read this run's number, remove its file, and return what says words with it: no variable of a frame holds it."""
    try:
        with open(".witness", encoding="ascii") as file:  # noqa: PTH123
            nonce = file.read().strip()
        os.unlink(".witness")  # noqa: PTH108
    except OSError:
        nonce = ""
    errors, process, get_process, write = _errors(), os.getpid(), os.getpid, os.write

    def say(word: str) -> None:
        if not nonce or get_process() != process:
            return
        for number in (errors, 2):
            try:
                write(number, f"\n{nonce} {word}\n".encode())
            except OSError:  # the program closed it; with neither, it is not known to have come to its end
                continue
            return

    return say


def _compiled(path: str) -> CodeType:
    probes = os.environ.pop("GHOSTTAPE_PROBES", "")
    with open(path, "rb") as file:  # noqa: PTH123
        text = file.read()
    return compile(_probed(text, probes) if probes else text, path, "exec", dont_inherit=True)


def _probed(text: bytes, probes: str) -> ast.Module:
    """Put a call before each of these statements (`number:line:column`), which says once that it was reached."""
    numbers = {(int(line), int(column)): int(number) for number, line, column in (p.split(":") for p in probes.split())}
    ran: set[int] = set()

    def note(number: int) -> None:
        if number not in ran:
            ran.add(number)
            _say(f"ran {number}")

    builtins.__dict__["__ghosttape_ran__"] = note
    module = _parsed(text)
    todo: list[ast.AST] = [module]
    while todo:
        node = todo.pop()
        todo += ast.iter_child_nodes(node)
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                statements[:] = [each for one in statements for each in _with_probe(one, numbers)]
    return module


def _with_probe(statement: ast.stmt, numbers: dict[tuple[int, int], int]) -> list[ast.stmt]:
    number = numbers.pop((statement.lineno, statement.col_offset), None)
    if number is None:
        return [statement]
    call = ast.Call(ast.Name("__ghosttape_ran__", ast.Load()), [ast.Constant(number)], [])
    probe = ast.copy_location(ast.Expr(call), statement)
    return [ast.fix_missing_locations(probe), statement]


def _become(path: str) -> dict[str, object]:
    """Make this process look as it does to `python FILE`; return the namespace of its `__main__`."""
    sys.argv, sys.path[0] = [path], os.path.dirname(path)  # noqa: PTH120
    sys.excepthook = _without_driver
    os._exit = _exit
    sys.setrecursionlimit(sys.getrecursionlimit() + _FRAMES)
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__)
    return main.__dict__


def _without_driver(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    while trace and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def _exit(status: int) -> NoReturn:
    """Leave as `os._exit` does, but say where."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - `atexit` calls without a frame of its own
    while frame and frame.f_code.co_filename != _PATH:
        frame = frame.f_back
    _say(f"exit {frame.f_lineno if frame else 0}")
    _LEAVE(status)


def _left(trace: TracebackType | None) -> str:
    """Return "end" if the last statement of the file left it (`sys.exit(main())`), else "exit" and the line."""
    own = None
    while trace:
        if trace.tb_frame.f_code.co_filename == _PATH:
            own = trace
        trace = trace.tb_next
    return "end" if own and _is_last(own) else f"exit {own.tb_lineno if own else 0}"


def _status(code: object) -> int:
    """Return the status that Python makes of `SystemExit.code`."""
    if code is None or isinstance(code, int):
        return int(code or 0) & 0xFF
    return 1


def _say_status(status: int) -> None:
    """Say the status that the program is about to end with: what runs at its exit could put another in its place."""
    if status:
        _say(f"meant {status}")


def _is_last(trace: TracebackType) -> bool:
    """Tell whether nothing of the file stands behind this place: a `raise`, or a call that is a statement of its own."""
    code = trace.tb_frame.f_code
    if code.co_name != "<module>":
        return False
    with open(_PATH, "rb") as file:  # noqa: PTH123
        last = _last_statement(_parsed(file.read()).body)
    line, end_line, column, end_column = list(code.co_positions())[trace.tb_lasti // 2]
    if None in (line, end_line, column, end_column) or not isinstance(last, ast.Expr | ast.Raise):
        return False
    first, behind = (last.lineno, last.col_offset), (last.end_lineno, last.end_col_offset)
    return ((line, column), (end_line, end_column)) == (first, behind)


def _parsed(text: bytes) -> ast.Module:
    """Parse what was compiled: with a higher limit, as to make a tree of it goes deeper than to compile it."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(2 * limit)
    try:
        return ast.parse(text)
    finally:
        sys.setrecursionlimit(limit)


def _last_statement(body: list[ast.stmt]) -> ast.stmt:
    """Return the last statement that does something, inside of `if __name__ == "__main__":` too."""
    last = body[-1]
    while isinstance(last, ast.If | ast.With | ast.Try) and not getattr(last, "orelse", []):
        last = last.body[-1]
    return last


_FRAMES = 1 if sys.version_info >= (3, 12) else 2  # before, `exec` counts as well
_say = _voice()
_LEAVE = os._exit
_PATH = os.path.abspath(sys.argv[1])  # noqa: PTH100 - pathlib takes longer to import than most programs to run
for _name in ("GHOSTTAPE", "GHOSTTAPE_BEGIN"):
    os.environ.pop(_name, None)
_main = _become(_PATH)
_code = _compiled(_PATH)
try:
    exec(_code, _main)  # noqa: S102 - it is what we are here for
except SystemExit as left:
    _say(_left(left.__traceback__))
    _say_status(_status(left.code))
    raise
except BaseException:  # whatever ends the program, its status is noted; Python prints the error
    _say_status(1)
    raise
_say("end")
