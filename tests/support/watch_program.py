"""`ghosttape watch` as a process: what it says, line by line, and tapes for it."""

import signal
import subprocess
import time

from replay.tapes.tape import write
from tests.support.places import SCRIPT
from tests.support.tapes import Typist

WORDS = ["watch", "tapes", "--provider", "fixed", "--text", "return x + 1", "--latency", "fixed:80", "--no-tests"]


class Watch:
    """A `ghosttape watch` in the background, and its lines."""

    def __init__(self, folder, words, before=()):
        self.out = (folder / "watch.txt").open("w")
        self.process = subprocess.Popen(
            [*before, SCRIPT, *words], cwd=folder, stdout=self.out, stderr=subprocess.STDOUT
        )
        self.path, self._read = folder / "watch.txt", 0

    def until(self, *words, within_s=60.0):
        """Wait for a line with all these words, behind the one that was waited for last."""
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            lines = self.path.read_text().splitlines()
            for index in range(self._read, len(lines)):
                if all(word in lines[index] for word in words):
                    self._read = index + 1
                    return lines[index]
            assert self.process.poll() is None, self.path.read_text()
            time.sleep(0.05)
        raise AssertionError(f"{words} did not come: {self.path.read_text()}")

    def end(self):
        """Press Ctrl-C, if it has not ended, and wait; give its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        status = self.process.wait(60)
        self.out.close()
        return status


def put(folder, text, name="small"):
    """Put a tape on which a text is typed among those that are watched."""
    (folder / "tapes").mkdir(exist_ok=True)
    write(Typist(name=name).type(text).tape(), folder / "tapes" / f"{name}.tape.jsonl")
