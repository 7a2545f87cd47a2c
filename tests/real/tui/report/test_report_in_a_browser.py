"""A report in a real browser: it asks nothing of a network, can be read by everyone, and stays small however many moments it has."""

import asyncio
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec import structs

from replay.numbers.figures import summary
from tests.support.chromium import chromium
from tests.support.hostile_texts import HOSTILE, hostile_record
from tests.support.report_records import MANY, RECORDS, record
from tools.many_moments import many
from tui.commands.inspect.reporting import write_report

SCREENS = {"desktop": (1280, 900), "phone": (390, 844)}


@pytest.fixture
async def browser(tmp_path, need):
    need("chromium")
    async with chromium(tmp_path / "profile") as found:
        yield found


@pytest.fixture
def page_of(run_of, tmp_path):
    def make(*runs):
        folders = [
            run_of(records, name=f"run-{at}", summary=summary(records, {"a": 200, "b": 200, "cart": 50}, by="hole"))
            for at, records in enumerate(runs)
        ]
        write_report(folders, tmp_path / "report.html")
        return tmp_path / "report.html"

    return make


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The script of axe-core, in the version that package-lock.json names."""
    if shutil.which("npm") is None:
        pytest.skip("not on PATH: npm")
    folder = tmp_path_factory.mktemp("axe")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(Path(__file__).with_name(name), folder)
    words = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=120)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


async def serious(browser, axe):
    """What axe finds that is serious or critical: the rule, and the elements."""
    await browser.value(f"{axe}; 0")
    found = json.loads(await browser.value("axe.run(document, {resultTypes: ['violations']}).then((found) => JSON.stringify(found.violations))"))  # fmt: skip
    return [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found if one["impact"] in {"serious", "critical"}]  # fmt: skip


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
async def test_no_serious_fault_of_accessibility_on_any_screen(browser, page_of, axe, screen, dark):
    page = page_of(MANY, [structs.replace(one, ending=RECORDS[1].ending) for one in MANY[:20]])
    await browser.looks_like(*SCREENS[screen], dark=dark)
    await browser.opens(f"{page.as_uri()}#moment={MANY[2].moment.id}")
    await browser.value("document.querySelectorAll('details').forEach((each) => each.open = true)")
    assert await serious(browser, axe) == []
    assert await browser.value("document.documentElement.scrollWidth") <= SCREENS[screen][0]
    assert browser.faults == []


async def test_the_browser_asks_for_the_file_and_nothing_else(browser, page_of):
    page = page_of(MANY)
    await browser.opens(f"{page.as_uri()}#moment={MANY[2].moment.id}")
    await browser.value("document.getElementById('theme').click()")
    await asyncio.sleep(0.5)
    assert [address.partition("#")[0] for address in browser.loaded] == [page.as_uri()]
    assert browser.faults == []


async def test_an_address_opens_a_moment_and_one_that_is_not_there_is_said(browser, page_of):
    page = page_of(RECORDS)
    await browser.opens(f"{page.as_uri()}#moment={RECORDS[1].moment.id}")
    text = await browser.value("document.getElementById('moment').innerText")
    assert "shop/cart.py:3:5" in text
    assert "+return y" in text
    assert await browser.value("document.activeElement.textContent") == "shop/cart.py:3:5"
    await browser.value("location.hash = 'moment=none'; 0")
    await browser.comes_true("document.getElementById('moment').innerText.includes('no such moment')")


async def test_the_list_is_filtered_searched_and_sorted(browser, page_of):
    await browser.opens(page_of(MANY))
    rows = "[...document.querySelectorAll('#rows tr')].map((row) => row.querySelector('a').textContent)"
    choose = "(([id, value, kind]) => { const box = document.getElementById(id); box.value = value; box.dispatchEvent(new Event(kind)); })"
    await browser.value(f"{choose}(['by-verdict', 'failed', 'change'])")
    failed = [f"shop/cart.py:{one.moment.line + 1}:5" for one in MANY if one.verdict.name == "failed"]
    assert sorted(await browser.value(rows)) == sorted(failed)
    await browser.value(f"{choose}(['by-order', 'latency', 'change'])")
    assert await browser.value(rows) == failed[::-1]
    await browser.value(f"{choose}(['by-text', 'CART.py:4:', 'input'])")
    assert await browser.value(rows) == ["shop/cart.py:4:5"]
    await browser.value(f"{choose}(['by-text', 'nowhere', 'input'])")
    assert (
        await browser.value("document.getElementById('count').textContent") == "No moment is like that: 0 of 39 moments"
    )


async def test_hostile_texts_do_nothing(browser, run_of, tmp_path):
    attacks = ["</script><script>window.hurt = 1</script>", "<img src=x onerror='window.hurt = 1'>", "<svg onload='window.hurt = 1'>"]  # fmt: skip
    records = [hostile_record(text[:500], event) for event, text in enumerate([*attacks, *HOSTILE[::20]])]
    write_report([run_of(records)], tmp_path / "report.html")
    for one in records:
        await browser.opens(f"{(tmp_path / 'report.html').as_uri()}#moment={one.moment.id}")
    await browser.value("document.querySelectorAll('details').forEach((each) => each.open = true)")
    await asyncio.sleep(0.3)
    assert await browser.value("window.hurt === undefined")
    assert await browser.value("document.querySelectorAll('#moment img, #moment svg, #moment script, #rows img').length") == 0  # fmt: skip
    assert browser.faults == []


async def test_the_list_stays_small_however_many_moments_there_are(browser, run_of, tmp_path):
    write_report([run_of(list(many([record(at) for at in range(1, 40)], 10_000)))], tmp_path / "report.html")
    await browser.opens(tmp_path / "report.html")
    assert "of 10,000 moments" in await browser.value("document.getElementById('count').textContent")
    assert await browser.value("document.querySelectorAll('#rows tr').length") == 50
    assert await browser.value("document.querySelectorAll('*').length") < 6_000
    await browser.value("document.getElementById('later').click()")
    assert (await browser.value("document.getElementById('count').textContent")).startswith("51 to 100 of 10,000")
