"""What can go wrong in the language server.

ServerRoomError
├── SettingsError      the settings hold an unknown key or a value that is not allowed
├── DocumentError      a change or a position does not fit the document that the editor has open
├── LineError          a line of a pipeline holds no completion to repair
└── ProviderError      the provider gave no answer; its text is the `reason` of a failed moment
    ├── ProviderMissing    what the provider needs is not installed, or its file is not there
    ├── ProviderOverdue    the answer comes later than anybody waits for it
    ├── ProviderUnreachable  there is no connection to the model server
    ├── ProviderLimited    nothing more may be asked: a limit of questions or of cost is reached
    └── ProviderRefused    the model server answered, and said no (status, malformed answer, cut stream)
"""

from __future__ import annotations


class ServerRoomError(Exception):
    """Root of what this package raises."""


class SettingsError(ServerRoomError):
    """The settings cannot be used as they are."""


class DocumentError(ServerRoomError):
    """A change or a position does not fit the document."""


class LineError(ServerRoomError):
    """A line of a pipeline holds no completion to repair; the message says what is wrong with it."""


class ProviderError(ServerRoomError):
    """The provider gave no answer: timeout, no connection, or one of the kinds below."""


class ProviderMissing(ProviderError):  # noqa: N818 - named for what happened
    """What the provider needs is not there; the message says what to install or to name."""


class ProviderOverdue(ProviderError):  # noqa: N818 - named for what happened
    """The answer comes later than the asker's patience lasts (`Request.patience`)."""


LIMIT_REACHED = "the limit of questions or of cost is reached"
"""The message of a `ProviderLimited`."""


class ProviderLimited(ProviderError):  # noqa: N818 - named for what happened
    """One more question could pass a limit."""


class ProviderUnreachable(ProviderError):  # noqa: N818 - named for what happened
    """There is no connection to the model server."""


class ProviderRefused(ProviderError):  # noqa: N818 - named for what happened
    """The model server answered with an error, or with something that is no completion."""
