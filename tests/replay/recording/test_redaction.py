"""What is kept off a recording: credentials however they come to stand in a text, and files that are on a list."""

import json
import os
import subprocess

import pytest
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.filters.heuristic import is_not_alphanumeric_string
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.importers.batch import import_many
from replay.recording.errors import RecordingStopped
from replay.recording.journal import Journal
from replay.recording.secrets.exclusion import Exclusion
from replay.recording.secrets.redaction import COVER, Redactor
from replay.recording.workspace import cleaned
from replay.tapes.tape import Close, Edit, Embedded, Ghost, Header, Open, State, read
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


@pytest.fixture(params=LINES)
def line(request):
    """What stands before a credential in its line, the credential, what stands behind it."""
    form, secret = LINES[request.param]
    before, after = (
        form.replace("{{", "{").replace("}}", "}").split("{}") if "{{" not in form else form.format("\0").split("\0")
    )
    return before, secret, after


@pytest.fixture
def folder(tmp_path, line):
    return Folder(tmp_path, line[1])


AROUND = "import os\r\n# 😀\r\n{}\r\nx = 1\r\n"


def opened(folder, text=""):
    """A document with an empty line between others, or with `text` in it; gives where that is."""
    folder.open(AROUND.format(text))
    return units(AROUND[: AROUND.index("{}")])


def covered(secret):
    return COVER * units(secret)


def test_in_a_text_that_opens(folder, line):
    before, secret, after = line
    opened(folder, before + secret + after)
    assert folder.final() == AROUND.format(before + covered(secret) + after)


def test_typed_key_by_key(folder, line):
    before, secret, after = line
    folder.type(before + secret + after, opened(folder))
    assert folder.final() == AROUND.format(before + covered(secret) + after)
    assert not list(folder.rows())


def test_typed_into_quotes_that_the_editor_closed(folder, line):
    before, secret, after = line
    at = opened(folder, before + after) + units(before)
    folder.type(secret, at)
    assert folder.final() == AROUND.format(before + covered(secret) + after)
    assert not list(folder.rows())


def test_pasted_whole_and_in_two_halves(folder, line):
    before, secret, after = line
    at, half = opened(folder, before + after) + units(before), len(secret) // 2
    folder.edit(at, at, secret[:half])
    folder.edit(at + units(secret[:half]), at + units(secret[:half]), secret[half:])
    folder.edit(at, at + units(secret), "")
    folder.edit(at, at, secret)
    assert folder.final() == AROUND.format(before + covered(secret) + after)
    assert not list(folder.rows())


def test_edited_into_being(folder, line):
    before, secret, after = line
    broken = secret[:9] + secret[10:] if len(secret) > 9 else secret[:1] + secret[2:]
    missing = 9 if len(secret) > 9 else 1
    at = opened(folder, before + broken + after) + units(before + secret[:missing])
    folder.edit(at, at, secret[missing])
    assert folder.final() == AROUND.format(before + covered(secret) + after)
    assert not list(folder.rows())


def test_deleted_undone_and_done_again(folder, line):
    before, secret, after = line
    start = opened(folder)
    end = folder.type(before + secret + after, start)
    folder.edit(start, end, "")
    folder.edit(start, start, before + secret + after)
    for at in range(end, start, -1):
        folder.edit(at - 1, at, "")
    assert folder.final() == AROUND.format("")
    assert not list(folder.rows())


def test_typed_almost_deleted_and_typed_again(tmp_path):
    before, secret = 'key = "', LINES["aws"][1]
    folder = Folder(tmp_path, secret)
    folder.open("\n")
    at = folder.type(before + secret[:-1], 0)
    assert secret[:-1] in folder.final(), "it is no credential yet"
    folder.edit(len(before), at, "")
    folder.type(secret, len(before))
    assert secret[2:12] not in "".join(folder.states()), "what was released before it was known is taken back"


def test_suggested_and_accepted(folder, line):
    before, secret, after = line
    at = opened(folder, before + after) + units(before)
    folder.tell(Ghost(1, 0, 1, "asked", at))
    folder.tell(Ghost(2, 0, 1, "shown", at, secret))
    folder.edit(at, at, secret)
    folder.tell(Ghost(3, 0, 1, "accepted", at, secret))
    assert folder.final() == AROUND.format(before + covered(secret) + after)
    assert not list(folder.rows())


def test_suggested_in_part_and_typed_to_its_end(folder, line):
    before, secret, after = line
    half = len(secret) // 2
    at = opened(folder, before + after) + units(before)
    folder.tell(Ghost(2, 0, 1, "shown", at, secret[:half] + "zz"))
    folder.edit(at, at, secret[:half])
    folder.tell(Ghost(3, 0, 1, "part", at, secret[:half]))
    folder.type(secret[half:], at + units(secret[:half]))
    assert folder.final() == AROUND.format(before + covered(secret) + after)
    assert not list(folder.rows())


def test_a_private_key_pasted_in_halves_between_its_lines(tmp_path):
    for cut in range(10, len(KEY), 25):
        (tmp_path / str(cut)).mkdir()
        folder = Folder(tmp_path / str(cut), "MIIEowIBAAKCAQEA7bq4Z9", "k3v8Xy2LmN5pQ6rS7tU")
        folder.secrets = ()  # a half of it without its beginning is only checked when it is whole
        folder.open("a\n\nb()\n")
        folder.edit(2, 2, KEY[:cut])
        folder.edit(2 + cut, 2 + cut, KEY[cut:])
        folder.secrets = ("MIIEowIBAAKCAQEA7bq4Z9", "k3v8Xy2LmN5pQ6rS7tU", "PRIVATE KEY")
        folder.check()
        assert folder.final() == "a\n" + "".join(each if each == "\n" else COVER for each in KEY) + "\nb()\n"


def test_code_that_knows_what_private_keys_look_like_stays_code(tmp_path):
    code = 'BEGIN = "{}"\n\ndef keys(text):\n    return text.count(BEGIN)\n\nEND = "-----END PRIVATE KEY-----"\n'
    folder = Folder(tmp_path)
    folder.open(code.format("-----BEGIN PRIVATE KEY-----"))
    assert folder.final() == code.format(COVER * 27)


@pytest.mark.parametrize("form", ["k = '{}'", "{}", '"""{}"""', "# {}"])
def test_a_private_key_is_covered_in_every_dress(tmp_path, form):
    lines = KEY.split("\n")
    for text in (
        form.format(KEY),
        form.format("\\n".join(lines)),
        form.format("\n# ".join(lines)),
        form.format('" +\n  "'.join(lines)),
    ):
        (tmp_path / "x").mkdir()
        folder = Folder(tmp_path / "x", *lines[1:3])
        folder.open(f"{text}\nprint(1)\n")
        folder.check()
        assert folder.final().endswith("\nprint(1)\n")
        (tmp_path / "x/t.tape.jsonl").unlink()
        (tmp_path / "x").rmdir()


def test_a_piece_of_a_known_credential_is_covered_in_other_documents_too(tmp_path):
    secret = LINES["github"][1]
    folder = Folder(tmp_path)
    folder.open("see 3c4D5e6F7g8H9i0J there\n", doc=1, path="notes.txt")
    folder.open(f"token = '{secret}'\n")
    assert "see **************** there\n" in list(folder.states())
    folder.open("and 7g8H9i0JkLmN\n", doc=2, path="more.txt")
    assert "and ************\n" in list(folder.states())


def test_what_is_known_from_a_file_that_is_not_recorded_is_covered(tmp_path):
    folder = Folder(tmp_path)
    folder.redactor.know("DB_PASSWORD=Xk29vQm71LpZ\n", ".env.ini")
    folder.open("connect('Xk29vQm71LpZ')\n")
    assert folder.final() == "connect('************')\n"


@pytest.mark.parametrize(
    "text",
    [
        "def login(user, password):\n    return check(user, password=password)\n",
        "password = get_password()\n",
        "secret = os.environ['API_KEY']\n",
        'url = "/login?password=" + quote(password) + "&x"\n',
        'password: "${PASSWORD}"\n',
        "token = tokens[index2]\n",
        "import TextDocumentContentChangeEvent from 'src/components/UserProfileCard/index'\n",
        "const id = '123e4567-e89b';\n",
        "if '-----BEGIN' in text:\n    pass\n",
        "see https://example.org/a:b@c and git@host:path\n",
    ],
)
def test_plain_code_stays_as_it_is(tmp_path, text):
    folder = Folder(tmp_path)
    folder.open(text)
    assert folder.final() == text


def test_a_long_real_session_without_credentials_stays_as_it_is(recordings, tmp_path):
    """All that this project says is code: what were covered there would be missing."""
    import_many([path for path in recordings if path.name.startswith("EditSourceTracker.test1")], tmp_path)
    (path,) = tmp_path.iterdir()
    tape, folder = read(path), Folder(tmp_path / "again")
    for number, event in enumerate(tape.events):
        folder.redactor.take(event)
        if number % 50 == 0:
            folder.journal.flush()
    folder.journal.flush(last=True)
    assert len(tape.events) > 10_000
    assert read(folder.journal.path).events == tape.events


def found_by_detect_secrets(text):
    """What its own rules find, each line by itself; not in rows of asterisks, which its own filters pass over."""
    plugins = [kind() for name, kind in get_mapping_from_secret_type_to_class().items() if "IP" not in name]
    for text_line in text.splitlines():
        for plugin in plugins:
            for secret in plugin.analyze_line(filename="a.py", line=text_line, line_number=1):
                if not is_not_alphanumeric_string(secret.secret_value):
                    yield secret.type, secret.secret_value


PIECES = st.one_of(
    st.sampled_from(["\n", "\r\n", " ", '"', "'", "= ", "password", "key", "😀", "a", "1", "x = 1\n"]),
    st.sampled_from([form.format(secret) for form, secret in LINES.values()]),
    st.sampled_from([secret[:10] for _, secret in LINES.values()]),
    st.sampled_from([secret[10:] for _, secret in LINES.values()]),
)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_whatever_is_edited_the_recording_replays_is_clean_and_differs_only_where_it_is_covered(data, tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("tape"))
    true = ["".join(data.draw(st.lists(PIECES, max_size=4)))]
    folder.open(true[0])
    for _ in range(data.draw(st.integers(1, 8))):
        size = units(true[-1])
        ends = sorted(
            data.draw(st.lists(st.integers(0, size), min_size=2, max_size=4).filter(lambda x: len(x) % 2 == 0))
        )
        texts = [data.draw(PIECES) for _ in ends[::2]]
        changes = tuple(zip(ends[::2], ends[1::2], texts, strict=True))
        true.append(splice(true[-1], changes))
        folder.redactor.take(Edit(1.0, 0, changes))
        folder.redactor.take(State(1.0, 0, ""))
        folder.journal.flush()
    folder.journal.flush(last=True)
    tape = read(folder.journal.path)
    assert sum(isinstance(event, State) for event in tape.events) == len(true) - 1, "and each of them was checked"
    states, text = [], ""
    for event in tape.events:
        text = event.text if isinstance(event, Open) else text
        text = splice(text, event.changes) if isinstance(event, Edit) else text
        if not isinstance(event, State):
            states.append(text)
    for was, state in zip(true, states, strict=True):
        pairs = list(zip(encode(was).decode("utf-16-le", "surrogatepass"), state, strict=False))
        assert units(was) == units(state)
        if len(was) == len(state):
            assert all(new in {old, COVER} for old, new in pairs)
        assert [each for each in was if each in "\r\n"] == [each for each in state if each in "\r\n"]
        assert list(found_by_detect_secrets(state)) == []


class TestTheFile:
    def test_it_comes_with_the_first_event_and_only_its_owner_may_read_it(self, tmp_path):
        folder = Folder(tmp_path / "new" / "folder")
        folder.journal.flush()
        assert not folder.folder.exists()
        folder.open("x")
        assert folder.journal.path.stat().st_mode & 0o777 == 0o600
        assert folder.folder.stat().st_mode & 0o777 == 0o700

    def test_a_rewrite_leaves_one_file_that_only_its_owner_may_read(self, tmp_path):
        folder = Folder(tmp_path)
        folder.open("\n")
        folder.type('key = "AKIAIOSFODNN7EXAMPLE"', 0)
        assert [path.name for path in tmp_path.iterdir()] == ["t.tape.jsonl"]
        assert folder.journal.path.stat().st_mode & 0o777 == 0o600

    def test_a_file_that_is_there_is_never_written_over(self, tmp_path):
        Folder(tmp_path).open("one")
        with pytest.raises(RecordingStopped, match="File exists"):
            Folder(tmp_path).open("two")
        assert "one" in (tmp_path / "t.tape.jsonl").read_text()

    def test_a_file_that_is_taken_away_ends_the_recording(self, tmp_path):
        folder = Folder(tmp_path)
        folder.open("x")
        folder.journal.path.unlink()
        with pytest.raises(RecordingStopped, match="was removed"):
            folder.edit(0, 0, "y")
        assert list(tmp_path.iterdir()) == []

    def test_a_full_disk_leaves_whole_lines(self, tmp_path, monkeypatch):
        folder = Folder(tmp_path)
        folder.open("x")
        before = folder.journal.path.read_bytes()
        real = os.write

        def full(file, data):
            if len(data) > 20:
                return real(file, bytes(data)[:20])
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(RecordingStopped, match="No space left on device"):
            folder.edit(0, 0, "a" * 50)
        assert folder.journal.path.read_bytes() == before

    def test_a_document_that_closes_is_forgotten_and_can_open_again(self, tmp_path):
        folder = Folder(tmp_path)
        folder.open("x")
        folder.tell(Close(2.0, 0))
        folder.open("y = 'AKIAIOSFODNN7EXAMPLE'")
        assert folder.final() == "y = '********************'"


@pytest.fixture
def workspace(tmp_path):
    """A folder with ignore files of both kinds, in more than one place."""
    root = tmp_path / "work"
    files = {
        ".gitignore": "*.log\n!keep.log\nbuild/\n/top.txt\n",
        "sub/.gitignore": "!debug.log\nlocal.*\n",
        ".ghosttapeignore": "private/\n*.draft.md\n",
        "build/keep.log": "",
        "../outside.py": "",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


RECORDED = [
    "a.py",
    "keep.log",
    "sub/debug.log",
    "sub/top.txt",
    "src/environment.py",
    "ünï 😀.py",
    "src/credentials_view.py",
]
LEFT_OUT = [
    *["a.log", "top.txt", "build/x.py", "build/keep.log", "sub/build/x.py", "sub/local.py", "sub/deep/a.log"],
    *["private/x.py", "sub/private/x.py", "x.draft.md"],
    *[
        ".env",
        ".env.local",
        "sub/.ENV",
        "prod.env",
        "server.pem",
        "x.KEY",
        "id_rsa",
        "id_ed25519.pub",
        ".npmrc",
        ".netrc",
    ],
    *[
        "credentials",
        "credentials.json",
        "sub/secrets.yaml",
        "store.p12",
        "pw.kdbx",
        "x.tfvars",
        ".git/config",
        "secrets/a.py",
    ],
    "session.tape.jsonl",
]


@pytest.mark.parametrize("name", RECORDED)
def test_files_of_the_workspace_are_recorded_by_their_path(workspace, name):
    assert Exclusion(workspace, [workspace])((workspace / name).as_uri()) == name


@pytest.mark.parametrize("name", LEFT_OUT)
def test_files_on_a_list_are_left_out(workspace, name):
    assert Exclusion(workspace, [workspace])((workspace / name).as_uri()) is None


def test_git_says_the_same_of_its_own_lists(workspace, need):
    need("git")
    subprocess.run(["git", "init", "-q", workspace], check=True)
    allowed = Exclusion(workspace, [workspace])
    ours = [name for name in [*RECORDED, *LEFT_OUT[:7]] if allowed((workspace / name).as_uri()) is None]
    said = subprocess.run(
        ["git", "-c", "core.quotePath=false", "check-ignore", *RECORDED, *LEFT_OUT[:7]],
        cwd=workspace,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.splitlines() == ours == LEFT_OUT[:7]


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "git:/w/a.py", "file://host/a.py", "file:///w/../etc/passwd", "a.py"]
)
def test_what_is_no_file_of_this_machine_is_left_out(tmp_path, uri):
    assert Exclusion(tmp_path, [tmp_path])(uri) is None


def test_files_outside_the_workspace_are_left_out_also_behind_a_link(workspace):
    allowed = Exclusion(workspace, [workspace])
    (workspace / "link.py").symlink_to(workspace.parent / "outside.py")
    (workspace / ".env").write_text("")
    (workspace / "plain.py").symlink_to(workspace / ".env")
    uris = [(workspace / name).as_uri() for name in ("link.py", "plain.py")]
    assert [allowed(uri) for uri in (*uris, (workspace.parent / "outside.py").as_uri())] == [None] * 3


def test_a_file_whose_name_is_a_credential_is_left_out(workspace):
    assert Exclusion(workspace, [workspace])((workspace / f"{LINES['github'][1]}.py").as_uri()) is None


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://bob:s3cr3t@example.org/a/b.git", "https://example.org/a/b.git"),
        ("https://ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ@example.org/a", "https://example.org/a"),
        ("https://example.org:8443/a?token=abcd1234efgh", "https://example.org:8443/a"),
        ("ssh://git:pw@example.org/a", "ssh://git@example.org/a"),
        ("git@example.org:a/b.git", "git@example.org:a/b.git"),
        ("https://example.org/ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ/a", ""),
        ("/home/me/project", ""),
        ("file:///home/me/project", ""),
        ("C:/project", ""),
        ("", ""),
    ],
)
def test_a_repositorys_url_is_told_without_what_is_secret_in_it(url, clean):
    assert cleaned(url) == clean
