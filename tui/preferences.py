"""What the screens remember of a person: the theme and the saved filters, in `screen.toml` in the user's config folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import platformdirs

FILE = "screen.toml"


class SavedFilter(msgspec.Struct, frozen=True, omit_defaults=True):
    """A filter under a name: the chosen values by facet, the text to search for, and the order of the table."""

    facets: dict[str, list[str]] = {}
    text: str = ""
    failures: bool = False
    sort: str = ""
    descending: bool = False


class Preferences(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that is remembered."""

    theme: str = ""
    filters: dict[str, SavedFilter] = {}


def preferences_file() -> Path:
    """Return where preferences are kept: in `GHOSTTAPE_CONFIG`, else in the user's config folder."""
    return Path(os.environ.get("GHOSTTAPE_CONFIG") or platformdirs.user_config_dir("ghosttape")) / FILE


def read_preferences() -> tuple[Preferences, str]:
    """Return what is remembered, and why it cannot be read ("" if it can, or if there is nothing yet)."""
    path = preferences_file()
    try:
        return msgspec.toml.decode(path.read_bytes(), type=Preferences), ""
    except FileNotFoundError:
        return Preferences(), ""
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return Preferences(), f"{path} cannot be read: {error}"


def change_preferences(change: Callable[[Preferences], Preferences]) -> str:
    """Remember something else; return why that is not possible ("" if it is). A file that cannot be read stays as it is, for a person to mend."""
    known, problem = read_preferences()
    return f"{problem}; nothing is saved until it is mended or removed" if problem else write_preferences(change(known))


def write_preferences(changed: Preferences) -> str:
    """Remember; return why that is not possible ("" if it is). A file that another program reads is never half written."""
    path = preferences_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_suffix(f".{os.getpid()}")
        written.write_bytes(msgspec.toml.encode(changed))
        written.replace(path)
    except OSError as error:
        return f"{path} cannot be written: {error.strerror}"
    except UnicodeEncodeError:
        return f"{path} cannot be written: a text holds half a surrogate pair"
    return ""
