"""Which files of a workspace are read for their secrets, and when they are read again."""

import itertools
import math
import os
import subprocess

import pytest

from replay.recording.secrets import workspace_secrets
from replay.recording.secrets.exclusion import Exclusion
from replay.recording.secrets.known_values import KnownValues
from replay.recording.secrets.numbered_text import as_units
from replay.recording.secrets.workspace_secrets import WorkspaceSecrets
from tests.support.places import ROOT

SETTINGS = """\
NODE_ENV=production
APP_NAME=inventory-service
HOST=localhost
PORT=8080
DEBUG=true
LOG_LEVEL=info
TZ=Europe/Berlin
AWS_REGION=eu-west-1
AWS_ACCESS_KEY_ID=AKIA2X5Q7RT9WZ3PLMNB
DATABASE_URL=postgres://shop:hunter2pw@localhost:5432/shop
POSTGRES_PASSWORD=postgres
REDIS_URL=redis://localhost:6379/0
SECRET_KEY=changeme
JWT_SECRET=s3cr3t-jwt-Xy71
SESSION_DRIVER=redis
KEY_FILE=/etc/ssl/private/server.key
SMTP_HOST=smtp.example.com
SMTP_PASSWORD=pelicanshore
ADMIN_EMAIL=admin@example.com
MODEL=gpt-4o-mini
IMAGE=python:3.11-slim
PYTHONPATH=src:tests
CACHE=django.core.cache.backends.redis.RedisCache
MAX_TOKENS=4096
"""


@pytest.fixture
def clock():
    return [0.0]


@pytest.fixture
def secrets(tmp_path, clock):
    return WorkspaceSecrets(Exclusion(tmp_path, [tmp_path]), lambda: clock[0])


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_excluded_files_are_read_and_no_others(tmp_path, secrets):
    write(tmp_path / ".gitignore", "/local.json\nout/\n")
    write(tmp_path / ".ghosttapeignore", "*.private\n")
    for number, name in enumerate([".env", "local.json", "out/x.ini", "a.private", "deep/er/.env.local"]):
        write(tmp_path / name, f'"password": "hidden{number}x"\npassword = hidden{number}x\n')
    for number, name in enumerate(
        ["a.json", "b.ini", "deep/local.json", "node_modules/x/.env", "venv/.env", "x.tape.jsonl"]
    ):
        write(tmp_path / name, f'"password": "public{number}x"\npassword = public{number}x\n')
    write(tmp_path / "venv/pyvenv.cfg", "")
    assert sorted(secrets.new_values()) == [f"hidden{number}x" for number in range(5)]


def test_files_are_read_again_when_they_change_or_appear_and_only_then(tmp_path, secrets, clock):
    write(tmp_path / ".env", "PASSWORD=one1one1\n")
    assert secrets.new_values() == ["one1one1"]
    write(tmp_path / "sub/.env", "PASSWORD=two2two2\n")
    assert secrets.new_values() == [], "not so soon"
    clock[0] = 1.5
    assert secrets.new_values() == ["two2two2"]
    write(tmp_path / ".env", "PASSWORD=three3three3\n")
    assert secrets.new_values(at_once=True) == ["three3three3"]
    write(tmp_path / "settings.ini", "password = four4four4\n")
    write(tmp_path / ".gitignore", "settings.ini\n")
    assert secrets.new_values(at_once=True) == ["four4four4"]
    write(tmp_path / "later.ini", "password = five5five5\n")
    assert secrets.new_values(at_once=True) == []
    write(tmp_path / ".gitignore", "*.ini\n")
    assert secrets.new_values(at_once=True) == ["five5five5"]
    assert secrets.new_values(at_once=True) == []


FILES_OF_TOOLS = {
    ".git/config": "[remote]\n\turl = https://bob:hunter0x@host.example/a.git\n",
    ".git/modules/part/config": "[remote]\n\turl = https://tok3n-hunter1x@host.example/a.git\n",
    "deep/.terraform/terraform.tfstate": '{"backend": {"config": {"password": "hunter2x"}}}',
    ".idea/dataSources.local.xml": '<property name="x" password="hunter3x"/>',
    ".idea/dataSources/7.xml": '<property name="x" password="hunter4x"/>',
    ".venv/pip.conf": "[global]\nindex-url = https://bob:hunter5x@host.example/simple\n",
    "own/pip.conf": "[global]\nindex-url = https://bob:hunter6x@host.example/simple\n",
}
PASSED_OVER = {
    ".git/objects/note.txt": "password = public0x\n",
    ".git/hooks/.env": "PASSWORD=public1x\n",
    ".terraform/providers/x/terraform.tfstate": '{"password": "public2x"}',
    "node_modules/x/.terraform/a.tfstate": '{"password": "public3x"}',
}


def test_of_the_folders_of_tools_the_files_that_keys_get_into_are_read_and_nothing_else(tmp_path, secrets):
    write(tmp_path / ".gitignore", ".idea/\n.venv\nown\n")
    write(tmp_path / "own/pyvenv.cfg", "")
    for name, text in (FILES_OF_TOOLS | PASSED_OVER).items():
        write(tmp_path / name, text)
    found = secrets.new_values()
    assert {f"hunter{number}x" for number in range(7)} <= set(found) | {one.partition("-")[2] for one in found}
    assert not [one for one in found if "public" in one]


def test_a_file_of_a_tool_that_comes_or_changes_later_is_read(tmp_path, secrets, clock):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".terraform").mkdir()
    assert secrets.new_values() == []
    for turn, name in enumerate([".git/config", ".terraform/terraform.tfstate", ".git/config"]):
        write(tmp_path / name, f"password = hunter{turn}x\n")
        clock[0] += 100
        assert secrets.new_values() == [f"hunter{turn}x"]


def test_what_git_writes_all_the_time_starts_no_new_look_at_the_workspace(tmp_path, secrets, clock):
    write(tmp_path / ".git/config", "[core]\n")
    write(tmp_path / ".git/objects/a", "")
    for path in [tmp_path / ".git/config", tmp_path / ".git", tmp_path]:
        os.utime(path, (1_000_000, 1_000_000))
    secrets.new_values()
    seen = secrets._seen
    write(tmp_path / ".git/index", "")
    clock[0] += 100
    secrets.new_values()
    assert secrets._seen is seen


def test_binary_files_pipes_and_what_cannot_be_read_are_passed_over(tmp_path, secrets):
    (tmp_path / "a.key").write_bytes(b"\0password=hunter2x\n")
    os.mkfifo(tmp_path / ".env")
    (tmp_path / ".env.local").symlink_to(tmp_path / "nowhere")
    (tmp_path / ".env.wide").write_bytes("PASSWORD=hunter2wide\n".encode("utf-16"))
    (tmp_path / ".env.bytes").write_bytes(b"X=\xff\xfe\nPASSWORD=hunter2bytes\n")
    assert sorted(secrets.new_values()) == ["hunter2bytes", "hunter2wide"]


def test_a_link_inside_the_workspace_is_read_and_one_that_leads_out_only_if_its_name_is_of_a_key_file(tmp_path, clock):
    write(tmp_path / "out/.env", "PASSWORD=outside1\n")
    write(tmp_path / "in/plain.txt", "PASSWORD=inside11\n")
    (tmp_path / "in/.env").symlink_to("plain.txt")
    (tmp_path / "in/.env.out").symlink_to(tmp_path / "out/.env")
    write(tmp_path / "out/plain.ini", "PASSWORD=outside2\n")
    write(tmp_path / "in/.gitignore", "*.ini\n")
    (tmp_path / "in/plain.ini").symlink_to(tmp_path / "out/plain.ini")
    (tmp_path / "in/folder").symlink_to(tmp_path / "out")
    (tmp_path / "in/loop").symlink_to(tmp_path / "in")
    secrets = WorkspaceSecrets(Exclusion(tmp_path / "in", [tmp_path / "in"]), lambda: clock[0])
    assert sorted(secrets.new_values()) == ["inside11", "outside1"]


def test_a_workspace_of_too_many_files_is_searched_from_its_top_and_says_so(tmp_path, secrets, monkeypatch):
    monkeypatch.setattr(workspace_secrets, "MOST_ENTRIES", 20)
    write(tmp_path / ".env", "PASSWORD=top1top1\n")
    for number in range(30):
        write(tmp_path / f"a/{number:02}.txt", "")
    write(tmp_path / "a/b/.env", "PASSWORD=deep1deep\n")
    assert secrets.new_values() == ["top1top1"]
    assert secrets.is_cut_off


@pytest.mark.parametrize("with_git", [True, False])
def test_what_is_left_out_is_what_is_not_allowed(tmp_path, with_git):
    if with_git:
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
    write(tmp_path / ".gitignore", "*.log\nbuild/\n!keep.log\n/top.txt\n")
    write(tmp_path / "sub/.gitignore", "inner.txt\n")
    write(tmp_path / "sub/.ghosttapeignore", "mine/\n")
    names = [
        "a.py",
        "b.log",
        "keep.log",
        "build/x.py",
        "top.txt",
        "sub/top.txt",
        "sub/inner.txt",
        "sub/mine/x.py",
        "mine/x.py",
        ".env",
        "sub/x.pem",
    ]
    paths = [tmp_path / name for name in names]
    for path in paths:
        write(path, "")
    rule = Exclusion(tmp_path, [tmp_path])
    paths += list(tmp_path.rglob(".g*ignore"))
    assert rule.left_out(paths) == set(paths) - rule.allowed(paths).keys()
    assert {path.relative_to(tmp_path).as_posix() for path in rule.left_out(paths)} == {
        "b.log", "build/x.py", "top.txt", "sub/inner.txt", "sub/mine/x.py", ".env", "sub/x.pem",
    }  # fmt: skip


def test_usual_settings_cover_nothing_in_a_usual_project(tmp_path):
    """All sources and docs of this project, which no rule of the values was made for."""
    known = KnownValues()
    known.learn(WorkspaceSecrets(Exclusion(tmp_path, [tmp_path])).values_of(SETTINGS, str(tmp_path / ".env")))
    assert known.spans("connect('pelicanshore', 'hunter2pw')")
    texts = [
        path
        for room in ("docs", "replay", "runners", "server", "syntax", "tui")
        for path in sorted((ROOT / room).rglob("*.*"))
        if path.suffix in {".py", ".md", ".toml"}
    ]
    covered = {
        text[start:end] for path in texts for text in [as_units(path.read_text())] for start, end in known.spans(text)
    }
    assert len(texts) > 300
    assert covered == set()


def test_a_change_that_gets_the_same_time_as_the_one_before_is_seen(tmp_path, secrets):
    """File systems count in steps of some ms, up to two seconds."""
    write(tmp_path / ".env", "PASSWORD=one1one1\n")
    now = (tmp_path / ".env").stat().st_mtime_ns
    folder = tmp_path.stat().st_mtime_ns
    assert secrets.new_values() == ["one1one1"]
    write(tmp_path / ".env", "PASSWORD=two2two2\n")
    write(tmp_path / ".env.local", "PASSWORD=three3three3\n")
    os.utime(tmp_path / ".env", ns=(now, now))
    os.utime(tmp_path, ns=(folder, folder))
    assert sorted(secrets.new_values(at_once=True)) == ["three3three3", "two2two2"]


def test_key_files_are_read_at_once_and_others_a_slice_at_a_time(tmp_path):
    write(tmp_path / ".gitignore", "*.json\n")
    write(tmp_path / "deep/er/.env", "PASSWORD=key1key1\n")
    for number in range(3):
        write(tmp_path / f"{number}.json", f'{{"password": "data{number}x"}}')
    ticks = itertools.count(0.0, workspace_secrets.SLICE_S)  # each look at the clock takes a slice
    secrets = WorkspaceSecrets(Exclusion(tmp_path, [tmp_path]), lambda: next(ticks), every_s=0.0)
    assert secrets.new_values() == ["key1key1"]
    assert secrets.has_unread
    assert sorted(secrets.new_values(for_s=math.inf)) == ["data0x", "data1x", "data2x"]
    assert not secrets.has_unread


def test_a_slice_ends_and_the_next_one_goes_on_behind_it(tmp_path):
    write(tmp_path / ".gitignore", "*.json\n")
    for number in range(9):
        write(tmp_path / f"{number}.json", f'{{"password": "data{number}x"}}')
        os.utime(tmp_path / f"{number}.json", (1, 1))
    ticks = itertools.count(0.0, workspace_secrets.SLICE_S / 3.5)
    secrets = WorkspaceSecrets(Exclusion(tmp_path, [tmp_path]), lambda: next(ticks), every_s=0.0)
    slices = [secrets.new_values() for _ in range(4)]
    assert [len(found) for found in slices] == [3, 3, 3, 0]
    assert [*itertools.chain(*slices)] == [f"data{number}x" for number in range(9)]


def test_files_without_room_are_not_taken_for_read_and_the_person_learns_of_it(tmp_path, secrets, monkeypatch):
    monkeypatch.setattr(workspace_secrets, "MOST_READ", 60)
    write(tmp_path / ".gitignore", "*.json\n")
    for number in range(3):
        write(tmp_path / f"{number}.json", f'{{"password": "data{number}xx"}}')
    assert secrets.new_values() == ["data0xx", "data1xx"]
    assert secrets.is_cut_off
    write(tmp_path / "0.json", "")
    assert secrets.new_values(at_once=True) == ["data2xx"]


@pytest.mark.parametrize(("last", "is_cut_off"), [("x", True), ("\0", False)])
def test_a_long_text_is_read_in_part_and_the_person_learns_of_it(tmp_path, secrets, monkeypatch, last, is_cut_off):
    monkeypatch.setattr(workspace_secrets, "MOST_BYTES", 40)
    write(tmp_path / ".env", last + "\nPASSWORD=first1first\n" + "# more\n" * 9)
    assert secrets.new_values() == (["first1first"] if is_cut_off else [])
    assert secrets.is_cut_off == is_cut_off


NAMES = {
    "SESSION_COOKIE": "session_id", "PARTITION_KEY": "user_id", "TOKEN_FIELD": "access_token", "CACHE_KEY": "page_cache",
    "FEATURE_FLAG_KEY": "new_checkout", "AUTH_COOKIE": "connect.sid", "AUTH_MODEL": "accounts.User", "MAX_TOKENS": "100000",
    "SSH_KEY_ALGO": "ed25519",
}  # fmt: skip


def test_names_of_the_code_behind_key_token_and_cookie_are_no_secrets_and_others_are(tmp_path, secrets):
    env = "".join(f"{name}={value}\n" for name, value in NAMES.items())
    write(tmp_path / ".env", env + "API_TOKEN=pelican-shore\nAUTH_TOKEN=Zx9Yw8Vu7Ts6\nCACHE_PASSWORD=hunter2\n")
    write(tmp_path / "a.py", "".join(f"x = {value} + 1\n" for value in NAMES.values()) + "x = login(hunter2)\n")
    write(tmp_path / ".gitignore", "*.json\n")
    write(
        tmp_path / "a.json",
        '{"sortKey": "created_at", "primaryKey": "primary_key", "tokenLimit": 128000, "maxTokens": 128000, "deployToken": "pQ6rS7tU8vW9"}',
    )
    assert sorted(secrets.new_values()) == ["Zx9Yw8Vu7Ts6", "hunter2", "pQ6rS7tU8vW9", "pelican-shore"]


def test_no_file_is_read_again_before_all_were_read_once_also_where_some_change_all_the_time(tmp_path):
    """Else what was typed would wait for ever."""
    write(tmp_path / ".gitignore", "*.log\n")
    time_for_one = itertools.count()
    secrets = WorkspaceSecrets(Exclusion(tmp_path, [tmp_path]), lambda: float(next(time_for_one)))
    found = []
    for turn in range(4):
        for name in "abc":
            write(tmp_path / f"{name}.log", f"password = {name}{turn}hunter2x\n")
        found.append((secrets.new_values(at_once=True, for_s=1.5), secrets.has_unread))
    assert found == [
        (["a0hunter2x"], True),
        (["b1hunter2x"], True),
        (["c2hunter2x"], False),
        (["a3hunter2x"], True),
    ]
    assert secrets.new_values(at_once=True, for_s=math.inf) == ["b3hunter2x", "c3hunter2x"]
    assert not secrets.has_unread
