"""The modules that a warm interpreter has imported already, and what of them must not be older than its program.

Chosen: what programs commonly import, has no effect but to be there, and warns of nothing. Left out: modules that are
deprecated (their warning is the program's to get), and multiprocessing (logging looks whether it is imported).
"""

import importlib
import os
import sys
import time

_MODULES = """
abc argparse array ast asyncio base64 binascii bisect calendar cmath collections collections.abc concurrent.futures
concurrent.futures.thread contextlib contextvars copy csv ctypes dataclasses datetime decimal difflib dis email enum
errno fnmatch fractions functools gc glob gzip hashlib heapq hmac html http http.client inspect io ipaddress itertools
json keyword linecache logging math mimetypes numbers operator os pathlib pickle platform pprint queue random re
secrets select selectors shlex shutil signal socket sqlite3 ssl stat statistics string struct subprocess sys tempfile
textwrap threading time timeit token tokenize traceback types typing unicodedata unittest unittest.mock urllib.error
urllib.parse urllib.request uuid warnings weakref xml.etree.ElementTree zipfile zlib
""".split()


def load() -> None:
    """Import the modules; one that this Python was built without is the program's to miss."""
    for name in _MODULES:
        try:
            importlib.import_module(name)
        except ImportError:  # noqa: PERF203
            continue


def freshen(variables: dict[str, str]) -> None:
    """Bring up to date, in a child, its environment, and what modules took from process or clock when imported."""
    os.environ.pop("PYTHONPATH", None)
    os.environ.update(variables)
    threading, logging = sys.modules["threading"], sys.modules["logging"]
    threading.main_thread()._set_native_id()  # noqa: SLF001 - stays the parent's after a fork
    logging._startTime = time.time_ns() if isinstance(logging._startTime, int) else time.time()  # noqa: SLF001
