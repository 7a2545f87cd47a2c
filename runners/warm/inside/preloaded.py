"""The modules that a warm interpreter has imported already, and what of them must not be older than its program.

Chosen: what programs commonly import, has no effect but to be there, and warns of nothing. Left out: modules that are
deprecated (their warning is the program's to get), and multiprocessing (logging looks whether it is imported).
"""

import importlib
import logging
import os
import threading
import time

MORE = "GHOSTTAPE_MORE"
"""Set in the environment of an interpreter that imports also what only some programs use; each costs the others time."""

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


def load() -> None:
    """Import the modules; one that this Python was built without is the program's to miss."""
    for name in (_USUAL + (_MORE if os.environ.pop(MORE, "") else "")).split():
        try:
            importlib.import_module(name)
        except ImportError:
            continue


def freshen(variables: dict[str, str]) -> None:
    """Bring up to date, in a child, its environment, and what modules took from process or clock when imported."""
    os.environ.pop("PYTHONPATH", None)
    os.environ.update(variables)
    threading.main_thread()._set_native_id()  # type: ignore[attr-defined] # noqa: SLF001 - stays the parent's after a fork
    logging.__dict__["_startTime"] = time.time_ns() if isinstance(logging.__dict__["_startTime"], int) else time.time()
