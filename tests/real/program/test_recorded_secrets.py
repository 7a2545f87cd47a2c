"""Secrets of files that are never opened leave no four letters in a row on a tape, however they get into a document."""

import base64
import json
from urllib.parse import quote

import pytest
from lsprotocol import types

from replay.tapes.tape import Edit, Ghost, Open
from syntax.text import encode, splice
from tests.support.recorded_editor import finals, tapes, until

SECRETS = {
    "env": "blueHorse42Staple",
    "env in quotes": "Tr0ub4dor&3xKq",
    "env, commented out": "oLd7Pw0rdZy",
    "phrase": "zebra quartz vixen jockey",
    "letters": "quixotryvaleph",
    "escaped": 'pa"Vg7\\wUxz!9',
    "url": "gR33nAppl7",
    "wide": "pä😀Ss-wÖrd-98x",
    "number": "48151623",
    "key, first line": "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ",
    "key, second line": "QyNTUxOQAAACDw7Jv2Xq1mHrT5kLz8YpNc3GfWdSeB",
    "json": "Jx8mQw2vLtR5",
    "json, in a list": "hN4kPz7sWb1C",
    "json, in a string": "Ky6dFj3rXo9U",
    "yaml": "uV5cMg8qTi2E",
    "toml": "Rw9bHs4nZa6L",
    "ini": "Dp2xJf7vOk5Y",
    "npm": "npmX3tGy8eQl1",
    "pgpass": "Iz4wCn6oBr9M",
    "no name": "aK7uSd1hVm3T",
}
FILES = {
    ".gitignore": "local/\n*.local.json\n",
    ".env": "# settings\nMODE=production\nPORT=8080\nDEBUG=true\nDB_PASSWORD={env}\nexport API_KEY='{env in quotes}'\n#OLD_TOKEN={env, commented out}\n"
    'PASSPHRASE="{phrase}"\nADMIN_PASSWORD={letters} # not a word\nDATABASE_URL=postgres://shop:{url}@localhost:5432/shop\n'
    "WIDE_SECRET={wide}\nCARD_PIN={number}\n",
    "deploy/id_ed25519": "-----BEGIN OPENSSH PRIVATE KEY-----\n{key, first line}\n{key, second line}\n-----END OPENSSH PRIVATE KEY-----\n",
    "local/compose.yml": "services:\n  db:\n    environment:\n      PASSWORD: {yaml}\n",
    "local/app.toml": '[mail]\nsecret = "{toml}"\n',
    "local/app.ini": "[mail]\nsmtp_password: {ini}\n",
    ".npmrc": "//registry.example/:_authToken={npm}\n",
    "local/.pgpass": "db.example:5432:shop:bob:{pgpass}\n",
    "local/notes.txt": "ask for {no name} at the desk\n",
}
JSON = {"mail": {"secret": "escaped"}, "deep": [{"apiKey": "json"}, {"tokens": ["x", "json, in a list"]}]}
SOURCE = "import os\n\n\ndef connect(mode='production', port=8080, host='localhost'):\n    return os.environ\n"


def write_workspace(root):
    """The project with its secrets; nothing opens them."""
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format_map(SECRETS), encoding="utf-8")
    inner = json.dumps({"credentials": {"pass": SECRETS["json, in a string"]}})
    filled = json.loads(
        json.dumps(JSON), object_hook=lambda found: {key: _filled(value) for key, value in found.items()}
    )
    (root / "app.local.json").write_text(json.dumps(filled | {"nested": inner}, indent=2))


def _filled(value):
    if isinstance(value, list):
        return [_filled(one) for one in value]
    return SECRETS.get(value, value) if isinstance(value, str) else value


def rows(secret, size=4):
    """What may not stand on a tape: four characters in a row, of the secret and of its base64 form."""
    forms = [secret, json.dumps(secret)[1:-1], quote(secret), secret.encode().hex()]
    yield from (secret[at : at + size] for at in range(len(secret) - size + 1))
    yield from forms
    yield base64.b64encode(secret.encode()).decode()[: len(secret.encode()) * 4 // 3 - 1]


def states(tape):
    """Every text that a replay of the tape goes through, with the suggestions in their places."""
    texts = {}
    for event in tape.events:
        if isinstance(event, Open):
            texts[event.doc] = event.text
        elif isinstance(event, Edit):
            texts[event.doc] = splice(texts[event.doc], event.changes)
        elif isinstance(event, Ghost) and event.text:
            yield splice(texts[event.doc], [(event.offset, event.offset, event.text)])
        yield from texts.values()


def strings(value):
    """All texts in JSON values; numbers, which may have any digits, are left out."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return (
        [part for one in value for part in strings(one)]
        if isinstance(value, list)
        else [value] * isinstance(value, str)
    )


def found_on(folder):
    """The secrets of which something stands in a file of the folder, or in a state of a tape, each with what it is."""
    disk = [json.loads(line) for path in folder.iterdir() for line in path.read_text().splitlines()]
    everything = "\n".join({*strings(disk), *(state for tape in tapes(folder) for state in states(tape))})
    return {(name, row) for name, secret in SECRETS.items() for row in rows(secret) if row in everything}


def size(text):
    return len(encode(text)) // 2


def stars(text, *secrets):
    for secret in secrets:
        text = text.replace(secret, "*" * size(secret))
    return text


def put(editor, text, name="main.py"):
    """A new line at the end of the document, and where it begins."""
    at = size(editor.texts[name])
    editor.change(name, (at, at, text + "\n"))
    return at


def typed(editor, secret):
    at = put(editor, "login('')")
    editor.type("main.py", secret, at + 7)


def with_a_slip(editor, secret):
    """Typed with a wrong character in the middle, which is noticed late, deleted key by key, and typed again."""
    at, half = put(editor, "login('')") + 7, size(secret) // 2
    end = editor.type("main.py", secret[:half] + "#" + secret[half:-1], at)
    for place in range(end, at + half, -1):
        editor.change("main.py", (place - 1, place, ""))
    editor.type("main.py", splice(secret, [(0, half, "")]), at + half)


def pasted(editor, secret):
    put(editor, f'login("{secret}")')


def pasted_in_halves(editor, secret):
    half = size(secret) // 2
    first, second = splice(secret, [(half, size(secret), "")]), splice(secret, [(0, half, "")])
    at = put(editor, "login()") + 6
    editor.change("main.py", (at, at, second))
    editor.change("main.py", (0, 0, "#"))
    editor.change("main.py", (0, 1, ""))
    editor.change("main.py", (at, at, first))


def split_over_edits(editor, secret):
    """The middle first, then the end, then something elsewhere, then the beginning key by key."""
    third = size(secret) // 3
    parts = [
        splice(secret, [(third, size(secret), "")]),
        splice(splice(secret, [(2 * third, size(secret), "")]), [(0, third, "")]),
    ]
    at = put(editor, "x = ''") + 5
    editor.type("main.py", parts[1], at)
    editor.type("main.py", splice(secret, [(0, 2 * third, "")]), at + third)
    editor.type("main.py", "# elsewhere\n", 0)
    editor.change("main.py", (0, 12, ""))
    editor.type("main.py", parts[0], at)


def deleted_and_typed_again(editor, secret):
    at, half = put(editor, "x = ''") + 5, size(secret) // 2
    first = splice(secret, [(half, size(secret), "")])
    editor.type("main.py", first, at)
    editor.change("main.py", (at, at + half, ""))
    editor.type("main.py", secret, at)
    editor.change("main.py", (at, at + size(secret), ""))
    editor.type("main.py", secret, at)


def half_of_it_and_then_deleted(editor, secret):
    half = size(secret) * 2 // 3
    at = put(editor, "x = ''") + 5
    editor.type("main.py", splice(secret, [(half, size(secret), "")]), at)
    for place in range(at + half, at, -1):
        editor.change("main.py", (place - 1, place, ""))


def in_other_dress(editor, secret):
    put(editor, f"x = {secret!r}")
    put(editor, f"x = {json.dumps(secret)}")
    put(editor, f"x = {json.dumps(secret, ensure_ascii=False)}")
    put(editor, f"get('https://x.example/?q={quote(secret, safe='')}')")
    put(editor, f"x = '{secret.encode().hex()}'")
    for before in ("", "a", "ab"):
        put(editor, f"x = '{base64.b64encode((before + secret).encode()).decode()}'")


WAYS = [
    typed,
    with_a_slip,
    pasted,
    pasted_in_halves,
    split_over_edits,
    deleted_and_typed_again,
    half_of_it_and_then_deleted,
    in_other_dress,
]


@pytest.mark.parametrize("way", WAYS)
async def test_twenty_secrets_leave_no_four_letters_in_a_row(start, into, way):
    editor = await start("--record", into)
    write_workspace(editor.root)
    editor.open("main.py", SOURCE)
    for secret in SECRETS.values():
        way(editor, secret)
        await editor.synchronise()
    await editor.leave()
    assert found_on(into) == set()
    (tape,) = tapes(into)
    text = finals(tape)["main.py"]
    assert size(text) == size(editor.texts["main.py"])
    assert text.startswith(SOURCE), "ordinary words stay"
    if way is pasted:
        assert text == stars(editor.texts["main.py"], *SECRETS.values())


async def test_what_a_model_offers_and_what_other_documents_have_is_covered(start, into):
    """A suggestion that is shown, accepted in part, and refused; a document that opens with secrets; one that is excluded."""
    editor = await start("--record", into, answer=SECRETS["env"] + "')")
    write_workspace(editor.root)
    editor.open("notes.md", "".join(f"* {secret} is the one\n" for secret in SECRETS.values()))
    editor.open("main.py", "login('\n")
    item = await editor.ask("main.py", 7)
    assert item.insert_text.startswith(SECRETS["env"])
    editor.change("main.py", (7, 7, SECRETS["env"]))
    editor.change("main.py", (7, 7 + len(SECRETS["env"]), ""))
    editor.type("main.py", SECRETS["env"][:9], 7)
    await editor.ask("main.py", 16)
    await editor.leave()
    assert found_on(into) == set()
    assert finals(tapes(into)[0])["notes.md"] == stars(editor.texts["notes.md"], *SECRETS.values())
    assert sum(isinstance(event, Ghost) and "*****" in event.text for event in tapes(into)[0].events) >= 1


async def test_a_document_whose_name_is_a_secret_is_not_recorded_or_loses_its_name(start, into, tmp_path):
    (tmp_path / "work/.env").write_text("DB_PASSWORD=" + SECRETS["env"])
    editor = await start("--record", into)
    editor.open("main.py", "x = 1\n")
    editor.open(f"{SECRETS['env']}.py", "x = 2\n")
    editor.open(f"{SECRETS['json']}.py", "x = 3\n")
    await until(lambda: into.is_dir() and len(finals(tapes(into)[0])) == 2)
    write_workspace(editor.root)
    await editor.leave()
    assert finals(tapes(into)[0]) == {"main.py": "x = 1\n", "*" * 12 + ".py": "x = 3\n"}


async def test_a_secret_whose_file_comes_later_is_taken_off_the_tape_while_the_session_goes_on(start, into):
    editor = await start("--record", into)
    editor.open("main.py", "x = ''\n")
    editor.type("main.py", SECRETS["env"], 5)
    editor.save("main.py")
    await until(lambda: into.is_dir() and SECRETS["env"] in str(finals(tapes(into)[0])))
    write_workspace(editor.root)
    await until(lambda: found_on(into) == set(), 20)
    editor.kill()
    assert finals(tapes(into)[0])["main.py"] == stars(editor.texts["main.py"], SECRETS["env"])


async def test_what_is_typed_while_ignored_data_are_unread_is_at_no_time_on_the_tape_in_clear(start, into, tmp_path):
    local = tmp_path / "work/local"
    write_workspace(local.parent)
    rows = [{"id": number, "name": f"user {number}", "hash": f"{number * 7919:032x}"} for number in range(1_500)]
    for number in range(6):
        (local / f"{number}.json").write_text(json.dumps(rows))
    (local / "last.json").write_text(json.dumps([*rows, *rows, {"password": "tanukiLake88Fern"}]))
    editor = await start("--record", into)
    editor.open("main.py", "login('tanukiLake88Fern')\n")
    editor.save("main.py")

    def is_on_disk():
        assert "tanuki" not in "".join(path.read_text() for path in into.glob("*"))
        return into.is_dir() and any(tape.events for tape in tapes(into))

    await until(is_on_disk, 120)
    editor.kill()
    assert finals(tapes(into)[0])["main.py"] == stars(editor.texts["main.py"], "tanukiLake88Fern")


async def test_a_secret_that_changes_is_read_again_and_the_old_one_stays_known(start, into, tmp_path):
    (tmp_path / "work/.env").write_text("DB_PASSWORD=" + SECRETS["env"])
    editor = await start("--record", into)
    editor.open("main.py", "x = ''\n")
    await until(lambda: into.is_dir() and tapes(into))
    (editor.root / ".env").write_text("DB_PASSWORD=" + SECRETS["json"])
    put(editor, f"{SECRETS['env']} {SECRETS['json']}")
    await editor.leave()
    assert found_on(into) == set()


async def test_a_key_file_behind_a_link_that_leads_out_of_the_workspace_is_read_and_a_folder_is_not(
    start, into, tmp_path
):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/.env").write_text("DB_PASSWORD=" + SECRETS["letters"])
    editor = await start("--record", into)
    (tmp_path / "linked.env").write_text("DB_PASSWORD=" + SECRETS["env"])
    (editor.root / ".env").symlink_to(tmp_path / "linked.env")
    (editor.root / "folder").symlink_to(tmp_path / "outside")
    editor.open("main.py", f"x = f({SECRETS['letters']}, {SECRETS['env']})\n")
    await editor.leave()
    assert finals(tapes(into)[0]) == {"main.py": stars(editor.texts["main.py"], SECRETS["env"])}


async def test_a_redacted_tape_replays(start, into, ghosttape):
    editor = await start("--record", into)
    write_workspace(editor.root)
    editor.open("main.py", SOURCE)
    for way in WAYS:
        way(editor, SECRETS["env"])
    await editor.leave()
    (path,) = into.iterdir()
    summary = ghosttape(
        "replay", path, "--provider", "ngram", "--policy", "every", "--no-tests", "--latency", "fixed:0", "--json"
    ).json
    assert summary["checkpoints"]["matched"] == summary["checkpoints"]["of"] >= 1
    assert summary["moments"] > 50


async def test_a_secret_that_is_typed_into_an_excluded_file_and_not_saved_is_known(start, into):
    editor = await start("--record", into)
    editor.open(".env", "")
    editor.open("main.py", "\n")
    editor.type(".env", f"PASSPHRASE={SECRETS['letters']}", 0)
    editor.type("main.py", f"login({SECRETS['letters']}, quix, quixotic)", 0)
    await editor.leave()
    assert finals(tapes(into)[0]) == {"main.py": "login(**************, quix, quixotic)\n"}


def folders(editor, added=(), removed=()):
    sides = ([types.WorkspaceFolder(path.as_uri(), path.name) for path in side] for side in (added, removed))
    event = types.WorkspaceFoldersChangeEvent(*sides)
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))


async def test_documents_of_a_folder_that_is_added_are_recorded_without_its_secrets(start, into, tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/.env").write_text("DB_PASSWORD=" + SECRETS["env"])
    (tmp_path / "work/lib").mkdir()
    editor = await start("--record", into)
    editor.open("main.py", "x = 1\n")
    early, name, late = ((tmp_path / "lib" / name).as_uri() for name in ("early.py", "a.py", "late.py"))
    editor.open(early, "x = 2\n")
    folders(editor, added=[tmp_path / "lib"])
    editor.open(name, f"x = '{SECRETS['env']}'\n")
    editor.type("main.py", SECRETS["env"], 6)
    await until(lambda: into.is_dir() and len(finals(tapes(into)[0])) == 2)
    folders(editor, removed=[tmp_path / "lib"])
    editor.type(name, "y", 0)
    editor.open(late, "x = 3\n")
    await editor.leave()
    assert finals(tapes(into)[0]) == {"main.py": "x = 1\n" + "*" * 17, "lib-2/a.py": "yx = '*****************'\n"}


async def test_a_key_of_the_server_itself_is_covered_wherever_it_is_typed(start, into, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRETS["no name"])
    editor = await start("--record", into)
    editor.open("main.py", f"# {SECRETS['no name']}\n")
    typed(editor, SECRETS["no name"])
    await editor.leave()
    assert found_on(into) == set()
    assert finals(tapes(into)[0])["main.py"] == stars(editor.texts["main.py"], SECRETS["no name"])
