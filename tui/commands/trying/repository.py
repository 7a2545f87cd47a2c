"""The repository that `ghosttape try` is pointed at: a folder of this machine, or a clone of an address."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path

from replay.tapes.git_environment import quiet_environment
from tui.console import SafeConsole
from tui.errors import ConfigurationError, TuiError
from tui.watching.waiting import Waiting

CLONES = Path(".ghosttape/clones")
_ADDRESS = re.compile(r"^(https?|ssh|git)://[^\s]+$|^[\w.-]+@[\w.-]+:[^\s]+$")
_PROTOCOLS = "https:http:ssh:git"
_PATIENCE_S = 900.0


def local_folder(named: str) -> Path:
    """The folder of a repository: as named, or of a clone that is made of an address, or fetched anew if there is one.

    Raises:
        ConfigurationError: there is no such folder, and it is no address.
        TuiError: the clone cannot be made.

    """
    if Path(named).is_dir():
        return _top(Path(named))
    if not _ADDRESS.match(named):
        raise ConfigurationError(f"{named}: it is neither a folder nor the address of a repository (https://…)")
    name = re.sub(r"[^\w.-]+", "-", re.sub(r"^\w+://(?:[^@/]*@)?", "", named).removesuffix(".git"))
    if not name.strip(".-"):
        raise ConfigurationError(
            f"{named}: it is no address of a repository: write it as in https://github.com/pallets/itsdangerous"
        )
    folder = (
        CLONES / f"{name}-{hashlib.sha256(named.encode()).hexdigest()[:8]}"
    )  # addresses may differ in what a name leaves out
    known = folder.is_dir()
    with Waiting(SafeConsole(stderr=True), f"{named} is {'fetched' if known else 'cloned'}"):
        if known:
            own = f"--git-dir={folder}"  # else git looks in the folders above: the person's own repository
            _git(own, "fetch", "--quiet", "--no-tags", "origin", "+HEAD:refs/heads/ghosttape", named=named)
            _git(own, "symbolic-ref", "HEAD", "refs/heads/ghosttape", named=named)
        else:
            folder.parent.mkdir(parents=True, exist_ok=True)
            _git("clone", "--quiet", "--bare", "--no-tags", "--single-branch", "--", named, str(folder), named=named)
    return folder


def _top(folder: Path) -> Path:
    """The top of the repository that a folder lies in; the folder itself of a bare one.

    Raises:
        ConfigurationError: it lies in none.

    """
    done = _run("-C", str(folder), "rev-parse", "--show-toplevel")
    if done.returncode == 0 and done.stdout.strip():
        return Path(done.stdout.strip())
    if _run("-C", str(folder), "rev-parse", "--absolute-git-dir").returncode == 0:
        return folder
    raise ConfigurationError(
        f"{folder} is no git repository, and sessions are made of its commits: name one, or commit what is there (git init, git add, git commit)"
    )


def _git(*words: str, named: str) -> None:
    done = _run(*words)
    if done.returncode:
        told = next((line for line in done.stderr.splitlines() if line.strip()), "it says nothing")
        raise TuiError(
            f"{named} cannot be cloned: {told.removeprefix('fatal: ')}: is the address right, and is there a network?"
        )


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    """Run git without anything of the repository's own, over no other protocol than those of addresses."""
    environment = quiet_environment(os.environ) | {
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
        "GIT_TERMINAL_PROMPT": "0",
    }
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *words]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, timeout=_PATIENCE_S
        )
    except OSError as error:
        raise TuiError(f"git cannot be run ({error.strerror}): install it") from error
    except subprocess.TimeoutExpired as error:
        raise TuiError(f"git took longer than {_PATIENCE_S:.0f} s: clone it yourself, and name the folder") from error
