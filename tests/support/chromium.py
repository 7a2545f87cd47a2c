"""A headless Chromium, driven through its debugging protocol."""

import asyncio
import base64
import json
from contextlib import asynccontextmanager, suppress
from itertools import count

import aiohttp


class Browser:
    """One page of a headless Chromium.

    `drawn` is what the page's websocket has brought, `loaded` the addresses that it asked for, `faults` what it threw or was refused.
    """

    def __init__(self, websocket):
        self._websocket, self._numbers, self._answers = websocket, count(1), {}
        self.drawn, self.loaded, self.faults = "", [], []

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
            elif found["method"] == "Runtime.exceptionThrown":
                self.faults.append(found["params"]["exceptionDetails"])
            elif found["method"] == "Log.entryAdded" and found["params"]["entry"]["level"] == "error":
                self.faults.append(found["params"]["entry"]["text"])

    async def value(self, expression):
        """The value of an expression; a promise is waited for."""
        found = await self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    async def picture(self, *, whole=False):
        """A picture of what is seen, or of the whole page."""
        found = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(found["data"])

    async def looks_like(self, width, height, *, dark=False):
        """Take the size of a screen, and the colours that its person prefers."""
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        await self.call("Emulation.setEmulatedMedia", features=features)

    async def opens(self, path):
        """Open a report; give how many ms it took until its list was drawn, by the browser's own clock."""
        await self.call("Page.navigate", url=path if "://" in str(path) else path.as_uri())
        await self.comes_true("document.documentElement?.dataset.ready === 'true'")

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
                for domain in ("Page", "Network", "Runtime", "Log"):
                    await browser.call(f"{domain}.enable")
                yield browser
                listening.cancel()
                with suppress(asyncio.CancelledError):
                    await listening
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
