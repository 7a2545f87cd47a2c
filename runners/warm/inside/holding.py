"""Hold pytest just before it collects tests, and let it go on in a fork for each order: a plugin of pytest.

By then pytest has read its configuration and loaded its plugins, as it does each time; no file of the project but its configuration has been read. Where one has
(`conftest.py`), this interpreter ends, as a change of that file would go unseen. It has no assertions of tests (PYTEST_DONT_REWRITE, said to pytest).
"""

import atexit
import os
import sys

LATE = "GHOSTTAPE_LATE"
"""Set where an interpreter is to be held here and not at its start."""
_PROJECT = "/project/"
_DECISION = {"tryfirst": True, "trylast": False, "optionalhook": False, "specname": None}


def pytest_collection(session):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    """Serve orders; go on only in a child, in which nothing is open that the parent had opened."""
    from runpy import run_path

    import _pytest.faulthandler as faults

    config = session.config
    only = run_path(f"{os.environ['GHOSTTAPE']}/selecting.py")["Only"]
    _refuse_read()
    captures = config.pluginmanager.getplugin("capturemanager")
    captures.stop_global_capturing()
    watched = config.pluginmanager.hasplugin("faulthandler")
    if watched:
        faults.pytest_unconfigure(config)
    files = _open_files()
    variables = _order()
    for number in files:  # a fork has closed them
        _open_nothing(number)
    os.environ.update(variables)
    captures.start_global_capturing()
    captures.suspend_global_capture()
    if watched:
        faults.pytest_configure(config)
    _begin_again(config, only)
    ending = _Ending()
    config.pluginmanager.register(ending, "ghosttape_ending")
    atexit.register(ending.leave)


pytest_collection.pytest_impl = {"wrapper": False, "hookwrapper": False, **_DECISION}  # type: ignore[attr-defined]


def _refuse_read() -> None:
    read = [name for name, module in sys.modules.items() if str(getattr(module, "__file__", "")).startswith(_PROJECT)]
    if read:
        sys.exit(f"pytest has read a file of the project before it collects tests: {read[0]}")


def _open_files() -> list[int]:
    """Return the descriptors that pytest keeps open, all of them of nothing (`os.devnull`). Exits where it keeps another file."""
    control = int(os.environ["GHOSTTAPE_CONTROL"].partition(":")[0])
    numbers = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208
    named = {number: _file(number) for number in numbers if number > 2 and number != control}
    if others := {name for name in named.values() if name and name != os.devnull}:
        sys.exit(f"pytest keeps a file open before it collects tests: {', '.join(sorted(others))}")
    return [number for number, name in named.items() if name]


def _file(number: int) -> str:
    """Return the file of a descriptor; empty if it is closed by now."""
    try:
        return os.readlink(f"/proc/self/fd/{number}")  # noqa: PTH115
    except FileNotFoundError:
        return ""


def _open_nothing(number: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    if nothing != number:
        os.dup2(nothing, number, inheritable=False)
        os.close(nothing)


def _order() -> dict[str, str]:
    """Import what the tests will, and wait for an order; return in a child, with the variables of the order."""
    sys.path.insert(0, os.path.dirname(__file__))  # noqa: PTH120 - pathlib is not for this process to choose
    import hiding  # type: ignore[import-not-found]

    hidden = hiding.Hidden()
    import gc

    import preloaded  # type: ignore[import-not-found]
    import supervisor  # type: ignore[import-not-found]

    del sys.path[0]
    preloaded.load()
    hidden.put_away("supervisor", "preloaded", "hiding")
    gc.collect()
    gc.freeze()
    os.environ.pop("PYTEST_PLUGINS", None)
    variables: dict[str, str] = supervisor.supervise()
    preloaded.freshen({})
    hidden.put_away()  # what the supervisor has imported meanwhile
    import importlib

    importlib.invalidate_caches()
    return variables


def _begin_again(config, only) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    """Give the witness this run's number and its own stream, and pytest the tests that are to run."""
    import json

    witness = vars(sys.modules["ghosttape_witness"])
    witness["_NONCE"], witness["_ERRORS"], witness["_PROCESS"] = os.environ["GHOSTTAPE_WITNESS"], os.dup(2), os.getpid()
    witness["pytest_configure"](config)
    os.environ.pop("GHOSTTAPE_ROOT", None)
    with open(os.environ.pop("GHOSTTAPE_ONLY"), encoding="utf-8") as file:  # noqa: PTH123
        chosen = only(frozenset(json.load(file)), witness["_say"])
        config.pluginmanager.register(chosen, "ghosttape_selecting")


class _Ending:
    """Leaves the process when all that is to run at its end has run, without taking it apart."""

    def __init__(self) -> None:
        """Note who runs this, and look for errors that nobody catches."""
        self.status: int | None = None
        self.process = os.getpid()
        before = sys.excepthook

        def note(*error):  # type: ignore[no-untyped-def] # noqa: ANN002, ANN202
            self.status = None
            before(*error)

        sys.excepthook = note

    def pytest_sessionfinish(self, session) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
        """Take note of the status."""
        self.session = session

    def pytest_unconfigure(self) -> None:
        """Take note of the status that pytest ends with."""
        self.status = int(self.session.exitstatus)

    def leave(self) -> None:
        """Leave; where the end is another one, or in another process, nothing is done."""
        if self.status is not None and os.getpid() == self.process:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(self.status)
