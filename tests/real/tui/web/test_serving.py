"""A run in the browser: who gets in, what is seen, and how it ends."""

import asyncio
import signal
import socket
import subprocess
from pathlib import Path

import aiohttp
import pytest

from tests.support.served_run import SCRIPT, runs, serving
from tests.support.waiting import PATIENCE_S, until


@pytest.fixture
async def client():
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield session


async def status(client, address, **headers):
    async with client.get(address, headers=headers) as answer:
        return answer.status


def opened(client, served, *, origin=None, path="ws?width=100&height=30"):
    return client.ws_connect(served.address + path, origin=served.origin if origin is None else origin)


async def drawn(websocket, words):
    """Read what the screen draws until words stand in it; give all of it."""
    seen = b""
    async with asyncio.timeout(PATIENCE_S):
        while words.encode() not in seen:
            message = await websocket.receive()
            assert message.type in {aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT}, (message, seen[-500:])
            seen += message.data if message.type == aiohttp.WSMsgType.BINARY else b""
    return seen.decode(errors="replace")


async def refused(websocket):
    """Read up to the sentence with which a message is refused."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            message = await websocket.receive()
            assert message.type in {aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT}, message
            if message.type == aiohttp.WSMsgType.TEXT and (said := message.json())[0] == "refused":
                return said[1]


async def test_without_the_token_everything_is_forbidden(served, client):
    token = served.address.rstrip("/").rpartition("/")[2]
    assert len(token) >= 43  # 32 bytes, six bits a character
    wrong = ("", "ws", "static/js/textual.js", "x/", "x/ws", "x/static/js/textual.js", f"{token[:-1]}/", f"{token}x/ws")
    for path in (*wrong, "download/x", "static/../", f"%00{token}/", f"?token={token}", "%ff/"):
        assert await status(client, f"{served.origin}/{path}") == 403, path
    for path in ("", "static/js/textual.js", "static/css/xterm.css"):
        assert await status(client, served.address + path) == 200, path
    assert await status(client, served.address + "static/../../server.py") in {403, 404}
    assert await status(client, served.address + "static/%2e%2e/server.py") in {403, 404}


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:{port}", "[::1", "", "0.0.0.0"]
)
async def test_a_name_that_only_points_to_this_machine_is_forbidden(served, client, host):
    assert await status(client, served.address, Host=host.format(port=served.port)) == 403
    assert await status(client, served.address, Host=f"localhost:{served.port}") == 200


async def test_the_page_of_another_origin_cannot_open_the_websocket(served, client):
    other = ("http://evil.example", f"http://127.0.0.1:{served.port + 1}", f"https://127.0.0.1:{served.port}", "null")
    for origin in other:
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await opened(client, served, origin=origin)
    assert await status(client, served.address + "ws", Connection="Upgrade", Upgrade="websocket") == 403
    assert served.children() == []


async def test_the_page_loads_nothing_from_elsewhere_and_keeps_its_address_to_itself(served, client):
    async with client.get(served.address) as answer:
        text, headers, cookie = await answer.text(), answer.headers, answer.cookies["ghosttape-downloads"]
    assert "<title>ghosttape first-run</title>" in text
    assert "https://" not in text
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/download/")
    assert cookie.value not in served.address


async def test_only_the_loopback_address_listens(served):
    inodes = {
        target.removeprefix("socket:[").removesuffix("]")
        for path in Path(f"/proc/{served.process.pid}/fd").iterdir()
        if (target := str(path.readlink())).startswith("socket:")
    }
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    listening = [row[1] for row in rows if row[3] == "0A" and row[9] in inodes]
    assert listening == [f"0100007F:{served.port:04X}"]


async def test_the_screen_shows_the_run_and_answers_keys(served, client):
    async with opened(client, served) as websocket:
        await drawn(websocket, "first-run")
        await websocket.send_json(["resize", {"width": 120, "height": 40}])
        assert "\x1b[40;" in await drawn(websocket, "\x1b[40;")  # the footer has gone down to the last line
        await websocket.send_json(["ping", 7])
        for unreadable in ("not JSON", "[" * 100_000 + "]" * 100_000, '["resize", ' + '{"width":' * 50_000):
            await websocket.send_str(unreadable)
            assert "nested too deeply" in await refused(websocket)
        await websocket.send_json(["resize", {"width": "wide"}])
        [screen] = served.children()
        await websocket.send_json(["stdin", "q"])
        async with asyncio.timeout(PATIENCE_S):
            while (await websocket.receive()).type not in {aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED}:
                pass
    await until(lambda: not runs(screen))
    assert served.process.returncode is None


async def test_a_page_that_is_closed_ends_its_screen(served, client):
    async with opened(client, served) as websocket:
        await drawn(websocket, "first-run")
        [screen] = served.children()
        await websocket.close()
    await until(lambda: not runs(screen))
    assert served.process.returncode is None


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
async def test_the_end_of_the_server_is_the_end_of_its_screens(served, client, sign):
    async with opened(client, served) as one, opened(client, served) as other:
        await drawn(one, "first-run")
        await drawn(other, "first-run")
        screens = served.children()
        assert len(screens) == 2
        assert await served.end(sign) == (0 if sign != signal.SIGKILL else -9)
    await until(lambda: not any(map(runs, screens)))


async def test_under_nohup_the_server_outlives_its_terminal(folder, client):
    async with serving(folder, before=["nohup"]) as served:
        assert await status(client, served.address) == 200
        served.process.send_signal(signal.SIGHUP)
        await asyncio.sleep(0.5)
        assert await status(client, served.address) == 200
        assert await served.end() == 0


async def test_a_folder_with_signs_of_the_shell_in_its_name_is_served(folder, client):
    odd = folder.rename(folder.with_name("-it's $(touch harm); `x` \"&"))
    async with serving("--", odd) as served, opened(client, served) as websocket:
        assert "it's $(touch harm)" in await drawn(websocket, "it's $(touch harm)")
    assert not Path("harm").exists()


async def test_the_live_screen_is_served_too(tmp_path, client):
    async with serving("--follow", tmp_path / "to-come") as served, opened(client, served) as websocket:
        await drawn(websocket, "There is no run in")


def test_a_port_that_is_taken_is_named(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = [SCRIPT, "tui", str(folder), "--web", "--port", str(port)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"ghosttape: --port {port}: Address already in use")


def test_what_is_no_run_is_refused_before_anything_is_served(tmp_path):
    words = [SCRIPT, "tui", str(tmp_path), "--web"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds no run" in done.stderr


def test_a_port_without_a_page_is_wrong_use(folder):
    done = subprocess.run(
        [SCRIPT, "tui", str(folder), "--port", "8000"], capture_output=True, check=False, timeout=PATIENCE_S
    )
    assert done.returncode == 2
    assert b"--web" in done.stderr
