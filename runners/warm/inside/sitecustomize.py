"""Hold an interpreter just before its program begins, and let it go on in a fork for each order.

Python imports this module last before it runs `program.py`. So each child goes on exactly as `python program.py`
does: same `__main__`, same tracebacks, same end. It only has more modules imported already.
"""

import os
import sys

_HERE = os.path.dirname(__file__)  # noqa: PTH120 - pathlib is not for this process to choose


def _import_own() -> bool:
    """Import what this one stands before, the machine's own sitecustomize; return whether there is one."""
    sys.path.remove(_HERE)
    this = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # type: ignore[import-not-found] # noqa: F401 - another one: this one's folder has left the path
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = this
        return False
    return True


def _wait() -> None:
    sys.path.insert(0, _HERE)
    import hiding  # type: ignore[import-not-found]

    hidden = hiding.Hidden()
    import gc

    import preloaded  # type: ignore[import-not-found]
    import supervisor  # type: ignore[import-not-found]

    sys.path.remove(_HERE)
    preloaded.load()
    hidden.put_away("supervisor", "preloaded", "hiding")
    gc.collect()
    gc.freeze()
    preloaded.freshen(supervisor.supervise())
    hidden.put_away()  # what the supervisor has imported meanwhile
    sys.path_importer_cache.pop(_HERE, None)


def _wait_later() -> None:
    """Let pytest import what holds it (`PYTEST_PLUGINS`)."""
    sys.path.insert(0, _HERE)
    import holding  # type: ignore[import-not-found] # noqa: F401

    sys.path.remove(_HERE)
    sys.path_importer_cache.pop(_HERE, None)
    os.environ.pop("PYTHONPATH")


_there_is_another = _import_own()
if os.environ.pop("GHOSTTAPE_LATE", ""):
    _wait_later()
else:
    _wait()
if not _there_is_another:  # then Python goes on as if this module had not been found either
    raise ImportError(name="sitecustomize")
