"""Ctrl-C while the modules of the command line are loaded."""

import subprocess
import sys

from tests.support.waiting import PATIENCE_S

STOPPED = """
import os, signal, sys, time
from tui.start import main

class Stop:
    def find_spec(self, name, path, target=None):
        if name == "tui.cli.corpora_cli":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(300)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Stop())
main()
"""


def test_it_ends_with_one_sentence_and_no_stack():
    done = subprocess.run(
        [sys.executable, "-c", STOPPED], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "ghosttape: interrupted before anything was begun\n"


def test_else_it_is_the_command_line():
    words = [sys.executable, "-c", "from tui.start import main; main()", "--version"]
    assert subprocess.run(words, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout.startswith(
        "ghosttape "
    )
