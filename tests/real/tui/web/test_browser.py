"""The page in a real browser."""

import asyncio

from tests.support.chromium import chromium


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
