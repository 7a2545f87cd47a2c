"""Pull requests from a server that answers as GitHub's API does, against the same pull requests from a clone."""

import json
import subprocess
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from corpora.efcb.making.github_pull_requests import KeptTexts
from tests.support.preloaded import preloaded_script
from tests.support.small_repository import git

PAGE = 3
"""Pull requests on a page of the server, whatever is asked for."""


def text_of(folder, *words):
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """Seven squashed pull requests; the third says nothing, the fourth is too short."""
    folder = tmp_path_factory.mktemp("clone") / "app"
    folder.mkdir()
    git(folder, "init")
    (folder / "start.py").write_text("START = 1\n")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "start")
    for number in range(1, 8):
        lines = 5 if number == 4 else 20
        (folder / f"part{number}.py").write_text("".join(f"LIMIT_{number}_{n} = {n}\n" for n in range(lines)))
        git(folder, "add", ".")
        body = "" if number == 3 else f"\n\nThere are limits {number}\nand more"
        git(folder, "commit", "-m", f"Limits {number} (#{number}){body}")
    return folder


@dataclass
class ScriptedGitHub:
    """Serves the commits of a clone as pull requests of `ada/app`; `faults` are statuses and headers that come first."""

    clone: Path
    faults: list = field(default_factory=list)
    asked: list = field(default_factory=list)
    url: str = ""

    def __enter__(self):
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                owner.asked.append((self.path, self.headers.get("accept"), self.headers.get("authorization")))
                status, headers, body = owner.faults.pop(0) if owner.faults else owner.answer(self.path, self.headers)
                self.send_response(status)
                for name, value in {"content-length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def commits(self):
        """Those of the pull requests, the newest first."""
        return text_of(self.clone, "log", "--format=%H").split()[:-1]

    def answer(self, target, headers):
        place = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(place.query).items()}
        parts = unquote(place.path).split("/")[4:]
        assert unquote(place.path).startswith("/repos/ada/app/")
        if parts == ["pulls"]:
            return self.page(int(query.get("page", "1")))
        if parts[0] == "pulls":
            assert headers["accept"] == "application/vnd.github.diff"
            commit = self.commits()[7 - int(parts[1])]
            return 200, {}, text_of(self.clone, "diff", f"{commit}~", commit).encode()
        assert headers["accept"] == "application/vnd.github.raw+json"
        shown = subprocess.run(
            ["git", "show", f"{query['ref']}:{'/'.join(parts[1:])}"], cwd=self.clone, check=False, capture_output=True
        )
        return (404, {}, b'{"message": "Not Found"}') if shown.returncode else (200, {}, shown.stdout)

    def page(self, number):
        rows = [self.row(commit) for commit in self.commits()]
        rows.insert(1, rows[0] | {"number": 99, "merged_at": None})  # closed, and never merged
        link = f'<{self.url}/repos/ada/app/pulls?page={number + 1}>; rel="next"'
        headers = {"link": link} if number * PAGE < len(rows) else {}
        return 200, headers, json.dumps(rows[(number - 1) * PAGE : number * PAGE]).encode()

    def row(self, commit):
        subject, _, body = text_of(self.clone, "log", "-1", "--format=%B", commit).strip().partition("\n")
        title, _, number = subject.removesuffix(")").rpartition(" (#")
        base = text_of(self.clone, "rev-parse", f"{commit}~").strip()
        body = body.strip().replace("\n", "\r\n") or None
        known = {"number": int(number), "title": title, "body": body, "merged_at": "2026-01-02T03:04:05Z"}
        return known | {"base": {"sha": base, "ref": "main"}, "user": {"login": "ada"}, "draft": False}


@pytest.fixture
def make(tmp_path):
    """Run `ghosttape corpora pull-requests`, by default against a scripted server."""

    def run(server, *words, token="secret", status=0):
        done = subprocess.run(
            [preloaded_script(), "corpora", "pull-requests", *words],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GITHUB_API_URL": server.url, "GITHUB_TOKEN": token},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        return done

    return run


def values(folder, ending, key):
    """What the questions of a file have under a key; what is drawn differs, for it goes by the name of the commit."""
    return [json.loads(line)[key] for line in folder.joinpath(f"app_{ending}.jsonl").read_text().splitlines()]


def test_the_questions_are_those_of_a_clone_and_are_made_again_without_a_new_request_for_them(clone, make, tmp_path):
    with ScriptedGitHub(clone) as server:
        make(server, str(clone), "-o", "cloned")
        assert server.asked == []
        make(server, "ada/app", "-o", "fetched")
        first = [path for path, _, _ in server.asked]
        assert {token for _, _, token in server.asked} == {"Bearer secret"}
        files = {path.name: path.read_bytes() for path in (tmp_path / "fetched" / "app").iterdir()}
        server.asked.clear()
        make(server, "ada/app", "-o", "fetched")
        assert {path.name: path.read_bytes() for path in (tmp_path / "fetched" / "app").iterdir()} == files
        assert {urlsplit(path).path for path, _, _ in server.asked} == {"/repos/ada/app/pulls"}
    fetched, cloned = (tmp_path / place / "app" for place in ("fetched", "cloned"))
    for ending, key in (("reverse_qa", "ideal"), ("reverse_qa", "input"), ("mpr_gen", "ideal"), ("mpr_gen", "file")):
        assert values(fetched, ending, key) == values(cloned, ending, key)
    assert len(values(fetched, "reverse_qa", "ideal")) == 5
    assert not any("/pulls/3" in path or "/pulls/99" in path for path in first)  # no description; not merged


def test_what_was_fetched_before_an_error_is_not_fetched_again(clone, make):
    with ScriptedGitHub(clone) as server:
        ok = server.answer("/repos/ada/app/pulls", {})
        diffs = [
            server.answer(f"/repos/ada/app/pulls/{number}", {"accept": "application/vnd.github.diff"})
            for number in (7, 6)
        ]
        limit = (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "99999999999"}, b"")
        server.faults = [ok, *diffs[:1], limit]
        failed = make(server, "ada/app", "-o", "fetched", status=2)
        assert "GitHub allows no more requests until" in failed.stderr
        server.asked.clear()
        make(server, "ada/app", "-o", "fetched")
        paths = [urlsplit(path).path for path, _, _ in server.asked]
        assert "/repos/ada/app/pulls/7" not in paths
        assert paths.count("/repos/ada/app/pulls/6") == 1


def test_a_diff_that_is_too_large_is_left_out_and_a_limit_counts_what_is_kept(clone, make, tmp_path):
    with ScriptedGitHub(clone) as server:
        server.faults = [server.answer("/repos/ada/app/pulls", {}), (406, {}, b"{}")]
        told = make(server, "ada/app", "--limit", "4", "-o", "fetched").stdout
    assert told.startswith("app: 4 gmcq-easy, 4 gmcq-hard")
    ideals = values(tmp_path / "fetched" / "app", "reverse_qa", "ideal")
    assert [ideal.split("\n")[0] for ideal in ideals] == [f"Title: Limits {number}" for number in (6, 5, 2, 1)]


def test_what_is_wrong_is_said_in_a_sentence(clone, make):
    with ScriptedGitHub(clone) as server:
        assert "neither a folder nor OWNER/NAME" in make(server, "nowhere", "-o", "out", status=2).stderr
        server.faults = [(401, {}, b"")]
        said = make(server, "ada/app", "-o", "out", status=2).stderr
        assert "refuses the token" in said
        assert "secret" not in said


async def test_a_line_that_was_cut_off_is_fetched_again(tmp_path):
    file = tmp_path / "kept.jsonl"
    file.write_text('{"key": "a", "text": "one"}\n{"key": "b", "te')

    async def two():
        return "two"

    assert await KeptTexts(file).get("a", two) == "one"
    assert await KeptTexts(file).get("b", two) == "two"
    assert [await KeptTexts(file).get(key, None) for key in "ab"] == ["one", "two"]
