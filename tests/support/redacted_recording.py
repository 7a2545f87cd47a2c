"""A recording into which credentials come, and what is looked for in all that is on disk of it."""

import json

from replay.recording.journal import Journal
from replay.recording.secrets.redaction import COVER, Redactor
from replay.tapes.tape import Edit, Embedded, Header, Open, read
from syntax.text import encode, splice

HEADER = Header(tape=1, id="t", editor="e", origin="recorded", workspace=Embedded(), created="2026")
ROW = 8
"""A credential counts as given away where this many of its characters stand in a row."""

# None of these opens anything: they only have the shape.
LINES = {
    "aws": ('key = "{}"', "AKIAIOSFODNN7EXAMPLE"),
    "github": ("token = {}", "ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"),
    "github-fine": ("x={}", "github_pat_11ABCDEFG0abcdefghijkl_MNOPQRstuv12"),
    "anthropic": ("k: '{}'", "sk-ant-api03-Zx9Yw8Vu7Ts6Rq5Po4Nm3-Lk2"),
    "stripe": ("pay('{}')", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"),
    "slack": ("{}", "xoxb-123456789012-1234567890123-AbCdEfGhIjKl"),
    "jwt": ("Cookie: {}", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"),
    "url": ("db = 'postgres://bob:{}@db.example/x'", "s3cr3tP4ssw0rd"),
    "password": ('self.password = "{}"', "hunter2hunter2"),
    "short": ('{{"api_key": "{}"}}', "a1b2c3"),
    "base64": ("data = '{}'", "c3VwZXIgbG9uZyBzdHJpbmcgc2hvdWxkIGNhdXNlIGVub3VnaCBlbnRyb3B5"),
    "hex": ('h = "{}"', "2b00042f7481c7b056c4b410d28f33cf"),
    "bearer": ("curl -H 'Authorization: Bearer {}'", "mF_9.B5f-4.1JqM0a1b2c3"),
    "wide": ("password = '{}'", "pä😀ss-wörd-12345"),
}
KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "MIIEowIBAAKCAQEA7bq4Z9\nk3v8Xy2LmN5pQ6rS7tU\n" * 3
    + "-----END RSA PRIVATE KEY-----"
)


def units(text):
    return len(encode(text)) // 2


class Folder:
    """A recording in a folder. After each event all of it is on disk, and nothing there may give a credential away."""

    def __init__(self, folder, *secrets):
        self.folder, self.secrets, self.text, self.t = folder, secrets, "", 0.0
        self.redactor = Redactor()
        self.journal = Journal(folder, HEADER, self.redactor)

    def tell(self, event):
        self.redactor.take(event)
        self.journal.flush(last=True)
        if self.secrets:
            self.check()

    def open(self, text, doc=0, path="src/a.py"):
        self.text = text
        self.tell(Open(self.t, doc, path, "python", text))

    def edit(self, start, end, text, doc=0):
        self.text = splice(self.text, [(start, end, text)])
        self.t += 1
        self.tell(Edit(self.t, doc, ((start, end, text),)))

    def type(self, text, at):
        for character in text:
            self.edit(at, at, character)
            at += units(character)
        return at

    def states(self):
        """Every state of every document that replaying what is on disk goes through, made without the program's help."""
        texts = {}
        for line in self.journal.path.read_text().splitlines()[1:]:
            event = json.loads(line)
            if event["event"] == "open":
                texts[event["doc"]] = event["text"]
            elif event["event"] == "edit":
                texts[event["doc"]] = splice(texts[event["doc"]], [tuple(change) for change in event["changes"]])
            elif event["event"] == "ghost" and event.get("text"):
                at, text = event.get("offset", 0), texts[event["doc"]]
                yield splice(text, [(at, at, event["text"])])
            yield from texts.values()

    def check(self):
        """No secret whole on disk, neither as it stands there nor in any state; what is there is a tape."""
        read(self.journal.path)
        disk = "".join(path.read_text() for path in self.folder.iterdir())
        for text in [disk, *self.states()]:
            assert not [secret for secret in self.secrets if secret in text]

    def kept(self, tape):
        """The events that are on disk of a session, written in pieces."""
        for number, event in enumerate(tape.events):
            self.redactor.take(event)
            if number % 50 == 0:
                self.journal.flush()
        self.journal.flush(last=True)
        return read(self.journal.path).events

    def final(self):
        *_, last = self.states()
        assert len(last) == len(self.text) or units(last) == units(self.text)
        return last

    def rows(self):
        """Which rows of a secret's characters are on disk or come to stand in a document."""
        disk = self.journal.path.read_text()
        for secret in self.secrets:
            for text in [disk, *self.states()]:
                for row in (secret[at : at + ROW] for at in range(len(secret) - ROW + 1)):
                    if row in text:
                        yield row


AROUND = "import os\r\n# 😀\r\n{}\r\nx = 1\r\n"


def opened(folder, text=""):
    """A document with an empty line between others, or with `text` in it; gives where that is."""
    folder.open(AROUND.format(text))
    return units(AROUND[: AROUND.index("{}")])


def covered(secret):
    return COVER * units(secret)
