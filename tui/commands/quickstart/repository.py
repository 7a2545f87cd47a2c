"""The repository that `ghosttape try` is pointed at: a folder of this machine, or a clone of an address."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import signal
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote, unquote

from replay.run.folders import make_folder
from replay.tapes.git_environment import quiet_environment
from tui.console import SafeConsole
from tui.errors import ConfigurationError, LackingError, TuiError
from tui.watching.waiting import Waiting

CLONES = Path(".ghosttape/clones")
_ADDRESS = re.compile(r"^(https?|ssh|git)://[^\s]+$|^[\w.-]+@[\w.-]+:[^\s]+$")
_PROTOCOLS = "https:http:ssh:git"
_PATIENCE_S = 900.0
_FILE = "file://"
_LACKING = re.compile(
    r"(No space left on device|Disk quota exceeded)|Could not resolve host|unable to connect|unable to look up|Failed to connect"
    r"|Connection (?:timed out|refused)|Network is unreachable|No route to host"
)
"""How git says that this machine lacks room (the group), or cannot reach the address."""


@dataclass(frozen=True, slots=True)
class _Done:
    """How a command of git ended."""

    status: int
    output: str
    errors: str


async def local_folder(named: str) -> Path:
    """The folder of a repository: as named, or of a clone that is made of an address, or fetched anew if there is one.

    A user and password in the address are for git alone: they are neither shown nor written.

    Raises:
        ConfigurationError: there is no such folder, and it is no address.
        CancelledError: it was stopped, also if Ctrl-C reached git first.
        TuiError: the clone cannot be made.

    """
    folder = Path(named)
    if await asyncio.to_thread(folder.is_dir):
        return await _top(folder)
    address = address_of(named)
    clone = _place_of_clone(address)
    known = await asyncio.to_thread(clone.is_dir)
    with Waiting(SafeConsole(stderr=True), f"{address.text} is {'fetched' if known else 'cloned'}"):
        await (_fetch if known else _clone)(address, clone)
    return clone


def name_of(named: str, folder: Path) -> str:
    """What a repository is called that lies in a folder: as the folder that a person `named`; empty for a clone of an address, whose origin says it."""
    return folder.resolve().name if Path(named).is_dir() else ""


def _place_of_clone(address: GitAddress) -> Path:
    """Where the clone of an address is kept.

    Raises:
        ConfigurationError: it is no address.

    """
    named = address.text
    if address.is_malformed:
        raise ConfigurationError(
            "the port of the address is no number: write https://host/path, and in a user or password / as %2F, ? as %3F and # as %23"
        )
    if named.startswith(_FILE):
        raise ConfigurationError(f"{named}: name the folder itself, without {_FILE}: {named.removeprefix(_FILE)}")
    if not _ADDRESS.match(named):
        raise ConfigurationError(f"{named}: it is neither a folder nor the address of a repository (https://…)")
    name = re.sub(r"[^\w.-]+", "-", re.sub(r"^\w+://(?:[^@/]*@)?", "", named).removesuffix(".git"))
    if not name.strip(".-"):
        raise ConfigurationError(
            f"{named}: it is no address of a repository: write it as in https://github.com/pallets/itsdangerous"
        )
    digest = hashlib.sha256(named.encode()).hexdigest()[:8]  # addresses may differ in what a name leaves out
    return CLONES / f"{name}-{digest}"


async def _fetch(address: GitAddress, folder: Path) -> None:
    own = f"--git-dir={folder}"  # else git looks in the folders above: the person's own repository
    await _git(own, "fetch", "--quiet", "--no-tags", "origin", "+HEAD:refs/heads/ghosttape", address=address)
    await _git(own, "symbolic-ref", "HEAD", "refs/heads/ghosttape", address=address)


async def _clone(address: GitAddress, folder: Path) -> None:
    """Clone under another name, which the clone loses when it is complete: one that was stopped is never taken for one."""
    make_folder(folder.parent)
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}.", dir=folder.parent) as place:
        made = Path(place, "clone")
        words = ("clone", "--quiet", "--bare", "--no-tags", "--single-branch", "--", address.text, str(made))
        await _git(*words, address=address)
        await asyncio.to_thread(made.rename, folder)


async def _top(folder: Path) -> Path:
    """The top of the repository that a folder lies in; the folder itself of a bare one.

    Raises:
        ConfigurationError: it lies in none.

    """
    done = await _run("-C", str(folder), "rev-parse", "--show-toplevel")
    if done.status == 0 and done.output.strip():
        return Path(done.output.strip())
    if (await _run("-C", str(folder), "rev-parse", "--absolute-git-dir")).status == 0:
        return folder
    raise ConfigurationError(
        f"{folder} is no git repository, and sessions are made of its commits: name one, or commit what is there (git init, git add, git commit)"
    )


async def _git(*words: str, address: GitAddress) -> None:
    done = await _run(*words, more=address.environment)
    if done.status:
        errors = address.cleaned(done.errors)
        lines = [line.removeprefix("fatal: ") for line in errors.splitlines() if line.strip()]
        lacking = _LACKING.search(errors)
        remedy = "make room on the disk" if lacking and lacking[1] else "is the address right, and is there a network?"
        reason = next((line for line in lines if lacking and lacking[0] in line), [*lines, "it says nothing"][0])
        raise (LackingError if lacking else TuiError)(f"{address.text} cannot be cloned or fetched: {reason}: {remedy}")


async def _run(*words: str, more: Mapping[str, str] = MappingProxyType({})) -> _Done:
    """Run git with `more` variables, without anything of the repository's own, over no other protocol than those of addresses; it ends with us."""
    protocols = {"GIT_ALLOW_PROTOCOL": _PROTOCOLS, "GIT_TERMINAL_PROMPT": "0"}
    environment = {**quiet_environment(os.environ), **protocols, **more}
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *words]
    try:
        process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, env=environment)
    except OSError as error:
        raise LackingError(f"git cannot be run ({error.strerror}): install it") from error
    try:
        output, errors = await asyncio.wait_for(process.communicate(), _PATIENCE_S)
    except TimeoutError as error:
        raise TuiError(f"git took longer than {_PATIENCE_S:.0f} s: clone it yourself, and name the folder") from error
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    if process.returncode == -signal.SIGINT:
        raise asyncio.CancelledError
    return _Done(process.returncode or 0, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"))


# The address of a repository, parted from the user and password in it.

_ACCOUNT = re.compile(r"^(?:(?P<scheme>[\w+.-]+)://(?P<account>[^/?#\s]*)|(?P<short>[^/?#\s:@]*:[^/?#\s]*))@")
"""What stands before the last `@` of the host, as programs for the web read it: behind a scheme, or without one `user:password`."""
_SSH = {"ssh", "git+ssh", "ssh+git"}
_MALFORMED = re.compile(r"^\w+://(?:[^/?#\s@]*@)?[^/?#\s:\[]*:\d*[^/?#\s\d]")
"""A port that is no number: most likely a password with `/`, `?` or `#`, which ends the host."""


@dataclass(frozen=True, slots=True)
class GitAddress:
    """An address as it may be shown, compared and stored, and what only git gets."""

    text: str
    """Without user and password; only the user of SSH stays, as the host needs it. Example: `https://ada:s3cret@host/x` gives `https://host/x`."""
    account: str = field(default="", repr=False)
    """User and password, as they were written before `@`; empty if there are none."""

    @property
    def is_malformed(self) -> bool:
        """Whether its port is no number: then it may still hold a part of a password, and is not to be shown."""
        return bool(_MALFORMED.match(self.text))

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables with which git (2.31 or later) uses user and password wherever it is given `text`, and writes them nowhere."""
        if not self.account:
            return {}
        scheme, _, rest = self.text.partition("://")
        whole = f"{scheme}://{self.account}@{rest.rpartition('@')[2] if scheme in _SSH else rest}"
        return {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{whole}.insteadOf", "GIT_CONFIG_VALUE_0": self.text}

    def cleaned(self, said: str) -> str:
        """What git says, without user and password."""
        user, _, password = self.account.partition(":")
        for part in filter(None, (self.account, password, user)):
            for form in (part, unquote(part), quote(unquote(part), safe="")):
                said = said.replace(f"{form}@", "")
        return said


def address_of(named: str) -> GitAddress:
    """The parts of an address as a person writes it; what is none has no user, and stays as it is."""
    found = _ACCOUNT.match(named)
    if found is None:
        return GitAddress(named)
    account = found["account"] if found["scheme"] else found["short"]
    rest = named[found.end() :]
    if not found["scheme"]:
        return GitAddress(rest, account)
    if found["scheme"].lower() not in _SSH:
        return GitAddress(f"{found['scheme']}://{rest}", account)
    user, colon, _ = account.partition(":")
    return GitAddress(f"{found['scheme']}://{user}@{rest}", account if colon else "")
