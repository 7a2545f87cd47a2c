"""The network of a set-up: allowed by the user only, nothing else with it, and gone when the tests run."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from runners.errors import SetupFailed
from runners.project import ALLOW_NETWORK, ProjectPlan, prepare
from runners.protocol import Completed, Job
from runners.sandboxes import host_files, make
from tests.support.fakes.sandbox import FakeSandbox

FETCH = """import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1], timeout=5).read().decode())
"""
REQUIRES = ("iniconfig>=2", "pytest>=8")  # as in the fixture `python`, so that they are installed once


@pytest.fixture
def server():
    """A server on this machine's loopback that says "reached"; `asked` counts."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            server.asked += 1
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"reached")

        def log_message(self, *words):
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.asked = 0
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def project(cache):
    """Return a function that prepares a project, which is removed at the end of the test."""
    made = []

    async def make_project(plan, sandbox):
        made.append(await prepare({"fetch.py": FETCH}, plan, sandbox, cache, lambda _: None))
        return made[-1]

    yield make_project
    for one in made:
        one.close()


def fetching(server):
    return f"python fetch.py http://127.0.0.1:{server.server_port}/"


async def test_an_allowed_setup_reaches_the_network_and_the_tests_after_it_do_not(project, server, sandbox):
    fetch = fetching(server)
    plan = ProjectPlan("python", REQUIRES, setup=f"{fetch} >told", command=f"cat told; {fetch} || exit 7", network=True)
    result = await (await project(plan, sandbox)).run({})
    assert result.log.startswith("reached")
    assert "refused" in result.message
    assert (result.verdict_class, server.asked) == ("exception", 1)


async def test_a_setup_that_is_not_allowed_the_network_is_told_how_it_can_be(project, server, sandbox):
    with pytest.raises(SetupFailed, match=ALLOW_NETWORK):
        await project(ProjectPlan("python", REQUIRES, setup=fetching(server), command="true"), sandbox)
    assert server.asked == 0


LOOK = """ls -d /root /home /etc/shadow /etc/ssl/private /etc/pki/tls/private 2>/dev/null
touch /usr/x 2>/dev/null && echo wrote
touch /etc/x 2>/dev/null && echo wrote
ip link set lo down 2>/dev/null && echo changed
(echo 1 >/proc/sys/net/ipv4/ip_forward) 2>/dev/null && echo changed
env | grep -i token
grep CapEff: /proc/self/status
id -u
true"""


async def test_with_the_network_nothing_else_is_loosened(sandbox, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    logs = [(await sandbox.run(Job(tmp_path, LOOK, network=network))).stdout for network in (True, False)]
    assert logs[0] == logs[1]
    assert logs[0].splitlines() == ["CapEff:\t0000000000000000", "65534"]


async def test_names_and_certificates_are_found_as_on_this_machine(sandbox, tmp_path):
    command = "cat /etc/resolv.conf /etc/hosts; ls -L /etc/ssl/certs 2>/dev/null | sort"
    done = await sandbox.run(Job(tmp_path, command, network=True))
    files = "".join(Path("/etc", name).read_text() for name in ("resolv.conf", "hosts"))
    assert done.stdout.startswith(files)
    folder = Path("/etc/ssl/certs")
    certificates = [path.name for path in folder.iterdir() if path.exists()] if folder.is_dir() else []
    assert sorted(done.stdout.removeprefix(files).split()) == sorted(certificates)


def test_of_the_settings_of_a_machine_only_names_and_certificates_are_shown(tmp_path):
    etc = tmp_path / "etc"
    for name in ("ssl/certs/ca.pem", "ssl/private/key.pem", "pki/tls/private/key.pem", "pki/tls/certs/ca.pem", "hosts"):
        (etc / name).parent.mkdir(parents=True, exist_ok=True)
        (etc / name).touch()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "stub.conf").touch()
    (etc / "resolv.conf").symlink_to("../run/stub.conf")
    (etc / "services").symlink_to("nowhere")
    mounts = {mount.target: mount.source for mount in host_files.mounts(tmp_path, network=True)}
    own = {"/etc/passwd", "/etc/group", "/etc/nsswitch.conf"}
    assert {target for target in mounts if target.startswith("/etc/")} == own | {
        "/etc/ssl/certs",
        "/etc/pki/tls/certs",
        "/etc/hosts",
        "/etc/resolv.conf",
    }
    assert mounts["/etc/resolv.conf"] == tmp_path / "run" / "stub.conf"
    assert "dns" in mounts["/etc/nsswitch.conf"].read_text()
    assert len(mounts) == len(host_files.mounts(tmp_path, network=True)), "a target is shown once"


async def test_what_is_let_through_to_a_setup_is_not_there_when_the_tests_run(project):
    plan = ProjectPlan("system", setup="env", command="env", network=True, setup_env={"HTTPS_PROXY": "http://p"})
    sandbox = FakeSandbox(lambda job: Completed(0, None, "", "", 1.0))
    await (await project(plan, sandbox)).run({})
    setup, tests = sandbox.jobs
    assert (setup.network, setup.env.get("HTTPS_PROXY")) == (True, "http://p")
    assert (tests.network, tests.env.get("HTTPS_PROXY")) == (False, None)


async def test_what_is_let_through_is_not_the_machines_other_variables(project, bubblewrap, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    plan = ProjectPlan("system", setup="env >seen", command="cat seen", network=True, setup_env={"WORD": "said"})
    log = (await (await project(plan, bubblewrap)).run({})).log
    assert "WORD=said" in log
    assert "SECRET_TOKEN" not in log


SAID = {
    "pip": "WARNING: Retrying ... '<pip._vendor...>: Failed to establish a new connection: [Errno -3] Temporary failure in "
    "name resolution')': /simple/x/",
    "pip without a retry": "ERROR: Could not find a version that satisfies the requirement x (from versions: none)",
    "npm": "npm error network request to https://r.example/x failed, reason: getaddrinfo ENOTFOUND r.example",
    "npm at a proxy": "npm ERR! connect ECONNREFUSED 127.0.0.1:3128",
    "maven": "transfer failed for https://r.example/x.pom: Unknown host r.example: Name or service not known",
    "gradle": "> java.net.UnknownHostException: r.example",
    "cargo": "[6] Could not resolve hostname (Could not resolve host: index.example)",
    "go": 'Get "https://r.example/x": dial tcp: lookup r.example: no such host',
    "git": "fatal: unable to access 'https://r.example/': Could not resolve host: r.example",
    "nuget": "error NU1301: Name or service not known (r.example:443)",
    "curl": "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server",
}


@pytest.mark.parametrize("client", SAID)
async def test_what_package_clients_say_without_a_network_is_understood(client, project):
    sandbox = FakeSandbox(lambda job: Completed(1, None, "", SAID[client], 1.0))
    with pytest.raises(SetupFailed, match=ALLOW_NETWORK):
        await project(ProjectPlan("system", setup="install"), sandbox)


@pytest.mark.parametrize(
    ("said", "network", "name"),
    [
        ("error: no matching function for call to 'f()'", False, "fake"),
        (SAID["npm"], True, "fake"),
        (SAID["npm"], False, "none"),
    ],
    ids=["another failure", "allowed already", "no walls"],
)
async def test_the_network_is_not_offered_where_it_would_not_help(said, network, name, project):
    sandbox = FakeSandbox(lambda job: Completed(1, None, "", said, 1.0), name=name)
    with pytest.raises(SetupFailed) as caught:
        await project(ProjectPlan("system", setup="install", network=network), sandbox)
    assert ALLOW_NETWORK not in str(caught.value)


def test_no_sandbox_but_none_has_a_network_by_itself():
    assert not Job(Path(), "true").network
    assert not ProjectPlan("system").network
    assert "network" in type(make("none")).__doc__
