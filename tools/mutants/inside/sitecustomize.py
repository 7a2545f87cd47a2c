"""Python starts with this where PYTHONPATH names its folder: the file MUTANT_FILE is then imported with the text in the file MUTANT_TEXT."""  # noqa: INP001  # only this is on that path

import os
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

_FILE = os.environ.get("MUTANT_FILE")
if _FILE:
    _TEXT = Path(os.environ["MUTANT_TEXT"]).read_bytes()
    _as_written = SourceFileLoader.get_code

    def _get_code(loader: SourceFileLoader, fullname: str) -> CodeType | None:
        """Compile the mutant's text in the place of its file's, and read or write no bytecode of it."""
        if os.path.realpath(loader.path) == _FILE:
            return compile(_TEXT, loader.path, "exec", dont_inherit=True)
        return _as_written(loader, fullname)

    SourceFileLoader.get_code = _get_code  # type: ignore[assignment, method-assign]
