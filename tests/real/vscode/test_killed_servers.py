"""A server that dies under a person who types: the text stays, ghost text is back soon, and the recording has lost a moment at most."""

import json
import logging
import subprocess
import time

from tests.support.places import SCRIPT
from tests.support.vscode.editor import LONG_S, on_tape
from tests.support.vscode.marked_answers import fits, marked

LOG = logging.getLogger(__name__)
KILLS = 10
RESTS = (4, 7)
"""Before these kills the server runs for `STEADY_S`: it counts as one that runs well then, and what was before is forgotten."""
STEADY_S = 11
BACK_S = 3.0
LOST_S = 1.0
STARTS = 3.0
"""Ghost text that is away for longer than `BACK_S` may be so for this many times as long as a server alone takes to start then."""


class Person:
    """Types letters, three at a time, and remembers when."""

    def __init__(self, window):
        self._window, self.text, self.times = window, "", []

    def type_for(self, seconds):
        self.type_until(lambda: False, seconds)

    def type_until(self, condition, seconds):
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            letter = "etaoinshrdlu"[len(self.text) % 12]
            self.text += letter
            self.times.append(time.time())
            self._window.type(letter, gap=0.13 if len(self.text) % 3 else 0.45)

    def typed_by(self, moment):
        """The text at a time (s since 1970)."""
        return self.text[: sum(time < moment for time in self.times)]

    def new_line(self):
        self.text += "\n"
        self.times.append(time.time())
        self._window.press("Enter")


def start_time(folder):
    """How long a server takes to start now, from the process to its first answer (s)."""
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    began = time.monotonic()
    with subprocess.Popen(
        [SCRIPT, "serve", "--stdio"], cwd=folder, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL
    ) as server:
        server.stdin.write(f"Content-Length: {len(asked)}\r\n\r\n{asked}".encode())
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-Length")
        took = time.monotonic() - began
        server.kill()
    return took


def killed(window, person):
    """Kill the server while the person types. When that was, and how long ghost text was away (s)."""
    before = len(person.text)
    window.server.servers(window.workspace)[-1].kill()
    moment = time.time()
    line = len(person.text.rpartition("\n")[2])

    def is_back():
        return any(seen.at > moment and len(seen.before) > line for seen in window.seen[-1:])

    person.type_until(is_back, LONG_S)
    assert is_back(), f"no ghost text after kill at {before} characters. The status bar says: {window.status}"
    return moment, window.seen[-1].at - moment


def test_ten_killed_servers_disturb_neither_typing_nor_ghost_text_nor_the_recording(
    quiet_machine, open_file, model, tmp_path
):
    model.answer = marked
    window = open_file("", file="shop.py")
    window.record()
    window.watch()
    person, kills = Person(window), []
    starts = {}
    for number in range(KILLS):
        person.type_for(STEADY_S if number in RESTS else 1.6)
        kills.append(killed(window, person))
        if kills[-1][1] > BACK_S:
            starts[number] = max(start_time(tmp_path) for _ in range(3))  # other work comes and goes
        person.new_line()
    person.type_for(2)
    saved = window.save()
    window.pause()
    assert saved == person.text

    away = [seconds for _, seconds in kills]
    tapes = window.tapes
    assert len(tapes) == KILLS + 1
    lost = []
    for path, (moment, _) in zip(tapes, kills, strict=False):
        _, finals = on_tape(path)  # fails for a tape that is torn or cannot have happened
        assert person.text.startswith(finals["shop.py"])
        missing = [at for at in person.times[len(finals["shop.py"]) :] if at < moment]
        lost.append(moment - missing[0] if missing else 0.0)
    assert on_tape(tapes[-1])[1] == {"shop.py": person.text}
    late = max(delay for _, delay in window.delays()) / 1000
    measured = (
        f"ghost text was away for {' '.join(f'{seconds:.1f}' for seconds in away)} s; the recordings lost {' '.join(f'{seconds:.1f}' for seconds in lost)} s; "
        f"after those over {BACK_S:g} s a server alone took {' '.join(f'{seconds:.1f}' for seconds in starts.values()) or 'no'} s to start; a timer was at most {late:.1f} s late"
    )
    LOG.info(measured)
    assert [seen for seen in window.seen if not fits(seen)] == []
    assert max(lost) < LOST_S + 0.3 + late, measured
    assert all(away[number] <= STARTS * start for number, start in starts.items()), measured


def test_what_was_typed_without_a_server_is_asked_for_when_the_next_one_runs(open_file, model):
    model.answer = marked
    window = open_file("", file="shop.py")
    window.watch()
    window.type("to", gap=0.1)
    window.until(lambda: window.seen, "ghost text for `to`")
    window.server.servers(window.workspace)[-1].kill()
    killed_at = time.time()
    window.type("t")
    window.until(lambda: window.seen[-1].at > killed_at and window.seen[-1].before == "tot", "ghost text for `tot`")
