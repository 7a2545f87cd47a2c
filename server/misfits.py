"""What is wrong with the parameters of a message, in the words of the wire: members are called there as they are sent."""

from __future__ import annotations

import re

import cattrs
from cattrs.v import format_exception

_PLACE = re.compile(r"@ \$\S*")
_JOINT = re.compile(r"_([a-z0-9])")


class Misfit(ValueError):  # noqa: N818 - named for what it says
    """A member that this server reads holds something that it cannot be; the message names the member."""


def told(error: BaseException) -> str:
    """What a converter's error says: each fault with its place, as `required field missing @ $.params.textDocument`."""
    faults = cattrs.transform_error(error, format_exception=_said)
    return "; ".join(_PLACE.sub(_as_sent, fault) for fault in faults)


def _said(error: BaseException, kind: type | None) -> str:
    return str(error) if isinstance(error, Misfit) else format_exception(error, kind)


def _as_sent(place: re.Match[str]) -> str:
    return _JOINT.sub(lambda letter: letter[1].upper(), place[0])
