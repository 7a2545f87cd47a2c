"""A model that is slower than the keys: it is asked once at a time, memory stays, and nothing old is shown."""

import logging
import time

import psutil

from tests.support.vscode.marked_answers import fits, marked

LOG = logging.getLogger(__name__)

KEYS, SECONDS = 300, 30
PAUSE_S = 2.0
OVERLAP_S = 0.1
"""A cancelled request and the next one cross between two processes."""
MIB = 1 << 20
MOST_GROWTH = 8 * MIB, 64 * MIB
"""In a minute, of the server and of the process of all extensions; the first takes memory in pieces, the other collects what is no longer used in time."""


def memory(*processes):
    return [process.memory_info().rss for process in processes]


def test_ten_keys_a_second_for_a_minute_have_one_request_at_a_time_and_no_stale_ghost_text(open_file, model):
    model.answer, model.pause_s = marked, PAUSE_S
    window = open_file("", file="shop.py")
    window.watch()
    (server,) = window.server.servers(window.workspace)
    host = psutil.Process(server.ppid())
    window.type("warming up " * 5, gap=0.1)
    before = memory(server, host)
    typed = ""
    for half in range(2):
        began = time.monotonic()
        letters = [chr(ord("a") + (number * 7 + half) % 26) for number in range(KEYS)]
        for number, letter in enumerate(letters):
            window.page.keyboard.type(letter)
            time.sleep(max(0.0, began + (number + 1) * SECONDS / KEYS - time.monotonic()))
        typed += "".join(letters) + "\n"
        pace = KEYS / (time.monotonic() - began)
        window.until(lambda: window.seen and window.seen[-1].before.endswith(letters[-1]), "ghost text in the pause")  # noqa: B023
        window.press("Enter")
    grown = [after - earlier for after, earlier in zip(memory(server, host), before, strict=True)]
    late = max(delay for _, delay in window.delays()) / 1000
    measured = (
        f"{pace:.1f} keys a second; {len(model.prompts)} requests, {model.given_up} given up; one was open for {model.longest_overlap * 1000:.0f} ms at most "
        f"after the next one came, timers were at most {late * 1000:.0f} ms late; {len(window.seen)} ghost texts; "
        f"grown by {grown[0] / MIB:.1f} MiB (server), {grown[1] / MIB:.1f} MiB (all extensions)"
    )
    LOG.info(measured)
    assert window.save() == "warming up " * 5 + typed
    assert len(model.prompts) > KEYS, measured
    assert model.given_up >= len(model.prompts) - 4, measured
    assert model.longest_overlap < OVERLAP_S + late, measured
    assert len(window.seen) >= 2
    assert [seen for seen in window.seen if not fits(seen)] == []
    assert grown[0] < MOST_GROWTH[0], measured
    assert grown[1] < MOST_GROWTH[1], measured
    assert server.is_running()
