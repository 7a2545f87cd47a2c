"""The ways in which code, settings and comments hold a credential; and what only looks like one."""

import pytest

from replay.recording.secrets.credentials import spans
from tests.support.growth import LINEAR, growth


def covered(text, path="a.py"):
    for start, end in spans(text, path):
        text = text[:start] + "*" * (end - start) + text[end:]
    return text


@pytest.mark.parametrize(
    ("path", "before", "secret", "after"),
    [
        ("a.py", 'password = "', r"hun\"Hunter22aBx9", '"'),
        ("a.py", "password = '", 'say "friend" loud', "'"),
        ("a.py", "x = 'postgres://bob:", "hun@ter2", "@db.example/x'"),
        ("a.py", 'os.environ.get("DB_PASSWORD", "', "correcthorse", '")'),
        ("a.js", "lookup('API_TOKEN', '", "abcd1234efgh", "')"),
        ("a.py", 'password = """', "hunterhunter", '"""'),
        ("a.c", 'char password[] = "', "hunterhunter", '";'),
        ("a.c", 'char db_password[64] = "', "hunterhunter", '";'),
        ("a.py", 'headers = {"x-api-key": "', "abcdefgh", '"}'),
        ("a.rs", 'let password = String::from("', "hunterhunter", '");'),
        ("a.cs", 'var c = "Server=db;User Id=sa;Password=', "Hunter", ';";'),
        ("a.cs", 'var c = "Password=', "Hunter22", '";'),
        ("a.py", "# password: ", "hunter2x", ""),
        ("a.js", "f(); // the password: ", "hunter2x", " of old"),
    ],
)
def test_a_credential_is_covered_from_its_first_character_to_its_last(path, before, secret, after):
    assert covered(before + secret + after, path) == before + "*" * len(secret) + after


@pytest.mark.parametrize(
    "text",
    [
        'fields = ["password", "username"]',
        'input("password", "text")',
        'label(password, "Your password")',
        'password = request.form.get("password")',
        "# password: the one of the user",
        "# key_pass: see docs/keys.md",
        'if (key == "password") return "text";',
        "f(a);pwd=e;",
        "password: Optional[str] = None",
        '"AUTHOR_DATE": "2024-03-01T10:00:00+01:00"',
    ],
)
def test_code_about_credentials_stays_as_it_is(text):
    assert covered(text, "a.py") == text


@pytest.mark.parametrize(
    "line",
    [
        lambda size: "password" * size,
        lambda size: "password" * size + '="abc"',
        lambda size: "secret_" * size,
        lambda size: "password" + " " * 8 * size,
        lambda size: 'get("password' * size,
    ],
    ids=["one word", "a word and a value", "parts of a word", "blanks", "calls"],
)
def test_a_line_made_to_keep_the_rules_busy_costs_time_linear_in_its_length(line):
    spans("warm up: password = 'x'", "a.py")
    assert growth(lambda text: spans(text, "a.py"), line, 60) < LINEAR


def test_a_long_value_behind_a_name_is_still_seen():
    value = "x1" * 100
    assert covered(f'password = "{value}"') == f'password = "{"*" * 200}"'
