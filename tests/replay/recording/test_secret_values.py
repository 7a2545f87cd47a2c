"""Which values of a file that is not recorded are secret, and which are words of every project."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.recording.secrets.exclusion import Exclusion
from replay.recording.secrets.known_values import KnownValues
from replay.recording.secrets.secret_rules import file_values, judge_value
from replay.recording.secrets.workspace_secrets import WorkspaceSecrets, words_of
from tests.support.growth import LINEAR, growth
from tests.support.scale import sampled


def secrets_of(text, name=".env", root=Path("/w")):
    return set(WorkspaceSecrets(Exclusion(root, [root])).values_of(text, str(root / name)))


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("DB_PASSWORD=blueHorse42Staple", "blueHorse42Staple"),
        ("export DB_PASSWORD = 'blueHorse42Staple' # ours", "blueHorse42Staple"),
        ("DB_PASSWORD=a#b!c", "a#b!c"),
        ("# DB_PASSWORD=blueHorse42Staple", "blueHorse42Staple"),
        ("DB_PASSWORD=x7k9", "x7k9"),
        ("ADMIN_PIN=482917", "482917"),
        ("PASSPHRASE=correct horse battery staple", "correct horse battery staple"),
        ('PASSWORD="say \\"Hi7\\""', 'say "Hi7"'),
        ("PASSWORD=sunshine", "sunshine"),
        ("SALT=$ecretPw1x", "$ecretPw1x"),
        ("SERVICE=Zx9Yw8Vu7Ts6", "Zx9Yw8Vu7Ts6"),
        ("SERVICE=correcthorsebattery", "correcthorsebattery"),
        ("SERVICE=correct-horse-battery-staple", "correct-horse-battery-staple"),
        ("ID=123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"),
        ("DATABASE_URL=postgres://bob:hunter2@db:5432/shop", "hunter2"),
        ("DATABASE_URL=postgres://bob:hunter%2F2@db:5432/shop", "hunter/2"),
        ("CALLBACK=https://x.example/?signature=abcd1234&page=2", "abcd1234"),
        ("CONNECTION=Server=db;User Id=bob;Password=hunter2;", "hunter2"),
        ('CONFIG={"apiKey": "hunter2", "mode": "fast"}', "hunter2"),
    ],
)
def test_a_secret_of_an_env_file_is_its_value_without_quotes(line, secret):
    assert secret in secrets_of(f"MODE=fast\n{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "DEBUG=true", "NODE_ENV=production", "HOST=localhost", "PORT=5432", "DB_NAME=shop", "POSTGRES_PASSWORD=postgres", "SECRET_KEY=changeme",
        "PASSWORD=${DB_PASSWORD}", "PASSWORD=$DB_PASSWORD", "API_KEY=<your key>", "API_KEY=your-api-key-here", "API_KEY=xxxxxxxxxxxx", "AUTH_URL=https://login.example.com/oauth",
        "KEY_FILE=/etc/ssl/private/server.key", "TOKEN_TTL=3600", "AUTH_METHOD=oauth2", "SESSION_COOKIE_NAME=sessionid", "AWS_REGION=eu-west-1",
        "MODEL=gpt-4o-mini", "IMAGE=python:3.11-slim", "TZ=Europe/Berlin", "ADMIN_EMAIL=admin@example.com", "STARTED=2026-11-23T10:20:30Z", "VERSION=10.12.3-beta1",
        "APP_NAME=inventory-service", "CACHE=django.core.cache.backends.redis.RedisCache", "URL=postgres://bob@localhost:5432/shop", "KEYBOARD=qwertyuiop1",
        "SMTP=smtp.example.com", "MONKEY=gorilla77", "TITLE=The inventory of our little shop",
    ],
)  # fmt: skip
def test_what_every_project_has_is_no_secret(line):
    assert secrets_of(line) == set()


@pytest.mark.parametrize(
    ("name", "text", "secrets"),
    [
        ("a.json", '{"a": {"password": "hunter2"}, "key": "name", "keys": ["shift+p"], "title": "hunter3"}', {"hunter2"}),
        ("a.json", '{"tokens": {"ci": "x"}, "apiKeys": ["one-two", "three"], "mode": "quick"}', {"one-two", "three"}),
        ("a.json", '{"pin": 482917, "port": 482917000}', {"482917"}),
        ("a.json", '{"password": "hunter2", "broken', {"hunter2"}),
        ("a.yml", "db:\n  password: hunter2\n  name: shop\nx: [1]\n", {"hunter2"}),
        ("a.yml", "secrets:\n  - one-two\n  - three4\nmode: quick\n", {"one-two", "three4"}),
        ("a.yml", "private_key: |\n  aaaa1111bbbb2222\n  cccc3333dddd4444\n", {"aaaa1111bbbb2222", "cccc3333dddd4444"}),
        ("a.yml", "a: &one\n  - x\n? *one\n: fish\ndb: {password: hunter2}\nlist: [*one, two]\n", {"hunter2"}),
        ("a.yml", "---\npassword: hunter2\n---\nport: 80\n", {"hunter2"}),
        ("a.yml", "password:\n  - one-two\n  -\n    - three4\nname: shop\n", {"one-two", "three4"}),
        ("a.toml", '[db]\npassword = "hunter2" # ours\nname = "shop"\n', {"hunter2"}),
        ("a.ini", "[db]\npassword: hunter2\nname = shop\n", {"hunter2"}),
        ("a.properties", "db.password=hunter2\ndb.name=shop\n", {"hunter2"}),
        (".pgpass", "db:5432:shop:bob:hunter2\n", {"hunter2"}),
        (".netrc", "machine x.example login bob password hunter2\n", {"hunter2"}),
        (".bash_history", "ls\nmysql -u bob --password=hunter2 shop\n", {"hunter2"}),
        ("a.log", "10:20:30 started worker_12 in /srv/app7\n", set()),
        ("a.ini", "url = https://Xy3kQ9zLmN5pQ6rS7tUV@host.example/a.git\n", {"Xy3kQ9zLmN5pQ6rS7tUV"}),
        ("a.ini", "url = ssh://deploy@host.example/a.git\n", set()),
        ("settings.py", 'PASSWORD = "hunter2"\nMODE = "fast"\n', {"hunter2"}),
    ],
)  # fmt: skip
def test_secrets_of_other_files_stand_behind_their_names(name, text, secrets):
    found = secrets_of(text, name)
    assert {one for one in found if "\n" not in one and "  " not in one} - {text.strip()} == secrets


def test_the_lines_of_a_private_key_are_secret_and_its_frame_is_not():
    lines = ["MIIEowIBAAKCAQEA7bq4Z9k3v8Xy2", "LmN5pQ6rS7tUVwXyZ0a1b2c3d4e5f"]
    frame = "-----BEGIN RSA PRIVATE KEY-----\n{}\n{}\n-----END RSA PRIVATE KEY-----\n"
    assert secrets_of(frame.format(*lines), "x.pem") >= set(lines)
    in_json = json.dumps({"private_key": frame.format(*lines)})
    assert secrets_of(in_json, "account.json") >= set(lines)
    assert not [one for one in secrets_of(frame.format(*lines), "x.pem") if "BEGIN" in one]


def test_a_word_that_the_code_uses_is_no_secret_but_a_string_of_its_own_may_be_one(tmp_path):
    code = tmp_path / "a.py"
    code.write_text("login('sunshine')\nmidnight = 1\nmoonlight_mode = 'moonlight'\nstarlighter = 2\n")
    assert words_of(["sunshine", "midnight", "moonlight", "starlight"], [code]) == {"midnight", "moonlight"}


def spans_in(text, *values):
    known = KnownValues()
    known.learn(values)
    return [text[start:end] for start, end in known.spans(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("login('blueHorse42Staple')", ["blueHorse42Staple"]),
        ("xblueHorse42Stapley", ["blueHorse42Staple"]),
        ("q=blueHorse42Stap", ["blueHorse42Stap"]),
        ("q=blueHorze42Staple", ["blueHor", "e42Staple"]),
        ("blueHor", ["blueHor"]),
        ("blueH", []),
        ("a 42Sta b", ["42Sta"]),
        ("x_42Sta_y", []),
        ("a blue horse", []),
        ("Ymx1ZUhvcnNlNDJTdGFwbGU=", ["Ymx1ZUhvcnNlNDJTdGFwbG"]),  # of `printf blueHorse42Staple | base64`
        ("eDpibHVlSG9yc2U0MlN0YXBsZQ==", ["ibHVlSG9yc2U0MlN0YXBsZ"]),  # of `printf x:blueHorse42Staple | base64`
        (
            "626c7565486f72736534325374617 x 626c7565486f7273653432537461706c65",
            ["626c7565486f7273653432537461706c65"],
        ),  # xxd -p
    ],
)
def test_a_value_is_found_whole_in_part_and_in_other_forms(text, found):
    assert spans_in(text, "blueHorse42Staple") == found


def test_a_word_is_found_only_as_a_word_and_a_number_only_as_a_number():
    assert spans_in("sunshine sunshines 482917 14829170 'sunshine'", "sunshine", "482917") == [
        "sunshine",
        "482917",
        "sunshine",
    ]


def test_half_a_value_counts_where_it_is_deleted_and_half_a_word_of_something_else_does_not():
    known = KnownValues()
    known.learn(["blueHorse42Staple", "production7x"])
    assert known.deleted("x = 'blueHo'", 5, 11) == [(5, 11)]
    assert known.deleted("x = 'blueHo'", 9, 10) == [(9, 10)]
    assert known.deleted("introductions", 0, 13) == []
    assert known.deleted("x = 'blueHo'", 0, 2) == []


def test_eight_letters_of_a_value_of_letters_are_found_unless_they_are_in_a_usual_word():
    assert spans_in("a quixotryva b", "quixotryvaleph") == ["quixotryva"]
    assert spans_in("the password of the administrator", "mypasswordadministrator") == []


def test_a_name_of_several_parts_is_judged_by_its_last_one():
    assert secrets_of('{"db.password": "hunter2", "secrets.mode": "hunter3", "my.secrets": {"x": "y"}}', "a.json") == {
        "hunter2"
    }


@pytest.mark.sampled
@pytest.mark.parametrize("name", [".env", "a.json", ".pgpass", "x.pem"])
@pytest.mark.parametrize(
    "piece",
    sampled(["A1bC", "a.", "a/", " ", "\t", "\n", '"', "\\", '\\"', "a='", "a:", "a=", "; ", ";a a a", "--a", "password ", " #", "{", "://", "a ", "PRIVATE KEY", "expir"]),
)  # fmt: skip
def test_the_time_for_a_file_grows_with_its_size_and_not_with_its_square(name, piece):
    """Of 64 KiB that are nothing but one piece again and again; with the square it is minutes."""

    def judge(text):
        for value in file_values(text, name):
            judge_value(value, in_key_file=True)

    assert growth(judge, lambda size: '"' + piece * (size // len(piece)) + "-", 8_192) < LINEAR


def test_a_word_as_long_as_a_file_is_read_in_time_linear_in_its_length():
    assert growth(lambda text: secrets_of(text, "a.json"), lambda size: "A1bC" * size, 1 << 13) < LINEAR


def share_of_words(text, runs, word):
    """The runs of `deleted`, by counting each character."""
    covered = {at for start, end in runs for at in range(start, end)}
    for start, end in runs:
        left, right = start, end
        while left and word.match(text[left - 1]):
            left -= 1
        while right < len(text) and word.match(text[right]):
            right += 1
        if len(covered & set(range(left, right))) >= 0.7 * (right - left):
            yield start, end


@given(
    st.lists(st.sampled_from(["ab7ab", "a77b", "bbbb", "aaa7", "a", "7", "=", " ", "'"]), max_size=20).map("".join),
    st.data(),
)
def test_what_of_a_deletion_is_covered_is_what_counting_each_character_gives(text, data):
    known = KnownValues()
    known.learn(["ab7ab a77bb", "bbbbaaaa7"])
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    grams = {value[at : at + 4] for value in ("ab7ab a77bb", "bbbbaaaa7") for at in range(len(value) - 3)}
    hits = sorted({at + more for at in range(len(text) - 3) if text[at : at + 4] in grams for more in range(4)})
    runs = [(hit, hit + 1) for hit in hits]
    for number in range(len(runs) - 1, 0, -1):
        if runs[number - 1][1] == runs[number][0]:
            runs[number - 1 : number + 1] = [(runs[number - 1][0], runs[number][1])]
    kept = share_of_words(text, runs, re.compile(r"[^\s\"'`<>(){}\[\],;=]"))
    assert known.deleted(text, start, end) == [
        (max(left, start), min(right, end)) for left, right in kept if left < end and right > start
    ]


@pytest.mark.parametrize("line", ["x = f('{}')\n", "{}-"], ids=["many words", "one word"])
def test_a_large_deletion_with_many_known_values_takes_time_linear_in_the_text(line):
    """With its square it was a minute for 4,000 lines."""
    known = KnownValues()
    values = [f"kq{number:03}Zx{number * 7919 % 997:03}Wv" for number in range(200)]
    known.learn(values)

    def written(lines):
        return "".join(line.format(values[number % 200]) for number in range(lines))

    def found(text):
        return len(known.deleted(text, 0, len(text))), len(known.spans(text))

    assert found(written(8_000)) == (8_000, 8_000)
    assert growth(found, written, 500) < LINEAR


@pytest.mark.parametrize(
    ("name", "text", "secrets"),
    [
        ("secrets.py", "# it's ours\nSIGNER = 'correct-horse-battery-staple'\nMODE = 'fast'\n", {"correct-horse-battery-staple"}),
        ("secrets.py", "CONFIG = {'deploy': 'aK7uSd1hVm3T', 'title': 'The shop of 12 Main St'}\n", {"aK7uSd1hVm3T"}),
        ("env.local.ts", "export const dsn = `postgres://bob:hunter2@db/shop`; const a = 'x';\n", {"hunter2"}),
        ("local_settings.py", "WEBHOOK = 'quixotry'\nLABEL = 'quixotic'\n", {"quixotry"}),
    ],
)  # fmt: skip
def test_the_strings_of_code_that_is_not_recorded_are_judged_as_other_values(name, text, secrets):
    assert secrets_of(text, name) - {"postgres://bob:hunter2@db/shop"} == secrets
