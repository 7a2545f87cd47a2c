"""The modules that a warm interpreter has imported already, and what of them must not be older than its program.

An interpreter that tests a project has imported pytest too, and the libraries that the project's files name (`IMPORTS`), but nothing that could stand in the place of a module of the project (`OWN`).

Chosen: what programs commonly import, has no effect but to be there, and warns of nothing. Left out: modules that are
deprecated (their warning is the program's to get), and multiprocessing (logging looks whether it is imported).
"""

import importlib
import logging
import os
import sys
import threading
import time

MORE = "GHOSTTAPE_MORE"
"""Set in the environment of an interpreter that imports also what only some programs use; each costs the others time."""

IMPORTS, OWN = "GHOSTTAPE_IMPORTS", "GHOSTTAPE_OWN"
"""Variables of an interpreter that tests a project: the modules that its files import, and the top-level names of its own; with blanks between."""

_USUAL = """
abc array ast bisect collections collections.abc contextlib copy ctypes dataclasses datetime enum errno functools hashlib heapq inspect
io itertools json keyword linecache logging math operator os pathlib random re select shutil signal socket stat string
struct subprocess sys tempfile textwrap threading time token tokenize traceback types typing warnings weakref
"""
_MORE = """
argparse asyncio base64 binascii calendar cmath concurrent.futures concurrent.futures.thread contextvars csv decimal
difflib dis email fnmatch fractions gc glob gzip hmac html http http.client ipaddress mimetypes numbers pickle platform
pprint queue secrets selectors shlex sqlite3 ssl statistics timeit unicodedata unittest unittest.mock urllib.error
urllib.parse urllib.request uuid xml.etree.ElementTree zipfile zlib
"""
_SEEDED = ["numpy.random"]
"""Modules with a generator for all that is seeded when they are imported, and not again after a fork as that of `random` is."""
_loaded_seeded: list[object] = []
_AT_START = frozenset({"ghosttape_witness", "sitecustomize", "usercustomize"})


def load() -> None:
    """Import the modules; one that this Python was built without is the program's to miss."""
    for name in (_USUAL + (_MORE if os.environ.pop(MORE, "") else "")).split():
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    if OWN in os.environ:
        _load_for_tests(os.environ.pop(IMPORTS, "").split(), frozenset(os.environ.pop(OWN).split()))


def _load_for_tests(names: list[str], own: frozenset[str]) -> None:
    """Import pytest with all that it loads itself, and libraries. Exits where one stands in the place of a module of the project, or keeps a thread: then a fresh interpreter tests it."""
    plugins = importlib.import_module("_pytest.config").default_plugins
    inside = ("_code", "_io", "assertion.rewrite", "assertion.util", *plugins)
    for name in ["importlib.metadata", "pytest", *(f"_pytest.{one}" for one in inside), *names]:
        if name.partition(".")[0] in own:
            continue
        try:
            importlib.import_module(name)
        except Exception:  # noqa: BLE001, S112 - whatever it is, the tests meet it too
            continue
    _loaded_seeded[:] = [sys.modules[name] for name in _SEEDED if name in sys.modules]
    if taken := own & {name.partition(".")[0] for name in sys.modules} - _AT_START:
        refuse(f"pytest, or a library, has a module of the same name as the project: {', '.join(sorted(taken))}")
    if threading.active_count() > 1:
        refuse("a library that the project imports starts a thread")


def refuse(why: str) -> None:
    """Leave at once, and say why; an exit while Python starts would be told as its own failure."""
    sys.stderr.write(why)
    sys.stderr.flush()
    os._exit(1)


def freshen(variables: dict[str, str]) -> None:
    """Bring up to date, in a child, its environment, and what modules took from process or clock when imported."""
    os.environ.pop("PYTHONPATH", None)
    os.environ.update(variables)
    threading.main_thread()._set_native_id()  # type: ignore[attr-defined] # noqa: SLF001 - stays the parent's after a fork
    logging.__dict__["_startTime"] = time.time_ns() if isinstance(logging.__dict__["_startTime"], int) else time.time()
    for module in _loaded_seeded:
        module.seed()  # type: ignore[attr-defined]
    if "GHOSTTAPE_WITNESS" in variables:
        _freshen_witness()


def _freshen_witness() -> None:
    """Let the witness read this run's number, as it would have at the start; what it does for unittest is not needed under pytest."""
    importlib.invalidate_caches()
    sys.modules.pop("ghosttape_witness", None)
    finders = list(sys.meta_path)
    importlib.import_module("ghosttape_witness")
    sys.meta_path[:] = finders
