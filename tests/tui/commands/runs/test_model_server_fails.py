"""A model server that cannot answer: the command says so and what helps, and leaves nothing that blocks the corrected one."""

import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.support.counting_server import counting_server
from tests.support.scale import sampled

WORDS = ("--no-tests", "--latency", "fixed:80", "--limit", "2", "--out", "run", "--json")


def replay(here, url, *more, status=0):
    named = ("--provider", "openai", "--base-url", url, "--model", "m")
    return here("replay", "demo", *named, *WORDS, *more, status=status)


@contextmanager
def refusing(status, message):
    """A model server that answers all with an error."""

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps({"error": {"message": message}}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@contextmanager
def nobody():
    """The address of a server that is not there."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    yield f"http://127.0.0.1:{port}/v1"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("server", "said"),
    sampled(
        [
            (nobody(), "no connection"),
            (refusing(401, "Incorrect API key"), "GHOSTTAPE_API_KEY"),
            (refusing(403, "no"), "GHOSTTAPE_API_KEY"),
            (refusing(404, "The model `m` does not exist"), "--model"),
            (refusing(404, "Not Found"), "--base-url"),
        ]
    ),
)
def test_a_provider_that_cannot_answer_ends_the_command_and_leaves_the_folder_free(here, server, said):
    with server as url:
        outcome = replay(here, url, status=3)
    assert outcome.out == ""
    assert outcome.err.strip().count("\n") == 0
    assert outcome.err.startswith("ghosttape: ")
    assert said in outcome.err
    with counting_server() as answering:
        assert replay(here, answering.url, "--seed", "1").json["moments"] == 4
