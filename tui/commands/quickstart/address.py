"""The address of a repository, parted from the user and password in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

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
