"""What is kept off a recording: credentials, however they come to stand in a text."""

import pytest
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.filters.heuristic import is_not_alphanumeric_string
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.recording.secrets.redaction import COVER
from replay.tapes.tape import Edit, Ghost, Open, State, read
from syntax.text import encode, splice
from tests.support.redacted_recording import AROUND, KEY, LINES, Folder, covered, opened, units
from tests.support.scale import examples


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


def test_a_real_session_without_credentials_stays_as_it_is(recorded_session, tmp_path):
    """All that this project says is code: what were covered there would be missing."""
    assert len(recorded_session.events) > 2_000
    assert Folder(tmp_path).kept(recorded_session) == recorded_session.events


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


@settings(max_examples=examples(150), deadline=None)
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
        folder.redactor.holds_back = data.draw(st.booleans())
        folder.journal.flush()
    folder.redactor.holds_back = False
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


KNOWN = ["blueHorse42Staple", "zebra quartz vixen jockey", "pä😀Ss-wÖrd-98x"]
PARTS = st.one_of(
    st.sampled_from(["\n", " ", "'", "x", "😀", "= "]),
    st.builds(
        lambda secret, cuts: secret[min(cuts) : max(cuts)], st.sampled_from(KNOWN), st.tuples(*[st.integers(0, 25)] * 2)
    ),
)


@settings(max_examples=examples(150), deadline=None)
@given(data=st.data())
def test_a_known_value_that_is_put_together_from_parts_in_any_order_stands_in_no_state(data, tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("tape"), *KNOWN)
    late = data.draw(st.booleans())
    if not late:
        folder.redactor.know_values(KNOWN)
    else:
        folder.secrets = ()
    folder.open("x = ''\n")
    for _ in range(data.draw(st.integers(1, 12))):
        ends = sorted(data.draw(st.tuples(*[st.integers(0, units(folder.text))] * 2)))
        folder.edit(ends[0], min(ends[1], ends[0] + 5), data.draw(PARTS))
    folder.redactor.know_values(KNOWN)
    folder.secrets = KNOWN
    folder.tell(State(folder.t, 0, ""))
    assert units(folder.final()) == units(folder.text)


def test_in_an_item_of_the_editors_list(folder, line):
    before, secret, after = line
    at = opened(folder, before)
    start = at + units(before)
    folder.tell(Ghost(9.0, 0, 1, "asked", start, selected=(start, start, secret + after)))
    (asked,) = [event for event in read(folder.journal.path).events if isinstance(event, Ghost)]
    assert asked.selected == (start, start, covered(secret) + after)
