"""The page in a real browser, driven through its debugging protocol."""

import asyncio
import base64
import json
from contextlib import asynccontextmanager, suppress
from itertools import count

import aiohttp


class Browser:
    """One page of a headless Chromium. `drawn` is what the page's websocket has brought, `loaded` the addresses that it asked for."""

    def __init__(self, websocket):
        self._websocket, self._numbers, self._answers = websocket, count(1), {}
        self.drawn, self.loaded = "", []

    async def call(self, method, **parameters):
        number = next(self._numbers)
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self._websocket.send_json({"id": number, "method": method, "params": parameters})
        return await asyncio.wait_for(self._answers[number], 60)

    async def listen(self):
        async for message in self._websocket:
            found = json.loads(message.data)
            if "id" in found:
                self._answers[found["id"]].set_result(found.get("result", found))
            elif found["method"] == "Network.webSocketFrameReceived":
                response = found["params"]["response"]
                if response["opcode"] == 2:
                    self.drawn += base64.b64decode(response["payloadData"]).decode(errors="replace")
            elif found["method"] == "Network.requestWillBeSent":
                self.loaded.append(found["params"]["request"]["url"])

    async def value(self, expression):
        return (await self.call("Runtime.evaluate", expression=expression))["result"].get("value")

    async def picture(self):
        return base64.b64decode((await self.call("Page.captureScreenshot", format="png"))["data"])

    async def press(self, key, text=""):
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, **extra)

    async def comes_true(self, expression):
        async with asyncio.timeout(60):
            while not await self.value(expression):
                await asyncio.sleep(0.1)

    async def seen(self, words):
        async with asyncio.timeout(60):
            while words not in self.drawn:
                await asyncio.sleep(0.05)


@asynccontextmanager
async def chromium(folder):
    process = await asyncio.create_subprocess_exec(
        *(
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ),
        *("--disable-component-update", "--disable-sync", "--disable-quic", "--window-size=1200,800"),
        *("--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(60):
            while not (folder / "DevToolsActivePort").exists() or not (folder / "DevToolsActivePort").read_text().count(
                "\n"
            ):
                await asyncio.sleep(0.1)
        port = (folder / "DevToolsActivePort").read_text().split("\n")[0]
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                pages = [page for page in await answer.json() if page["type"] == "page"]
            async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as websocket:
                browser = Browser(websocket)
                listening = asyncio.create_task(browser.listen())
                for domain in ("Page", "Network", "Runtime"):
                    await browser.call(f"{domain}.enable")
                yield browser
                listening.cancel()
                with suppress(asyncio.CancelledError):
                    await listening
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def test_the_page_shows_the_run_answers_keys_and_the_mouse_and_loads_nothing_from_elsewhere(
    served, tmp_path, need
):
    need("chromium")
    async with chromium(tmp_path / "profile") as browser:
        await browser.call("Page.navigate", url=served.address)
        await browser.seen("first-run")
        await asyncio.sleep(1.0)
        await browser.comes_true("document.body.classList.contains('-first-byte')")
        before = await browser.picture()
        await browser.call("Input.dispatchMouseEvent", type="mousePressed", x=300, y=100, button="left", clickCount=1)
        await browser.call("Input.dispatchMouseEvent", type="mouseReleased", x=300, y=100, button="left", clickCount=1)
        await browser.press("j", "j")
        await asyncio.sleep(1.0)
        after = await browser.picture()
        assert before != after
        assert all(address.startswith((served.address, "data:", "about:")) for address in browser.loaded)
        await browser.press("q", "q")
        await browser.comes_true("document.body.classList.contains('-closed')")
        assert "The screen was closed. Open it again." in await browser.value("document.body.innerText")
        await browser.call("Page.navigate", url=served.origin + "/")
        await browser.comes_true("document.body?.innerText.includes('403')")
