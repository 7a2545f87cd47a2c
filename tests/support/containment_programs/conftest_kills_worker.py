#: does = "kills, while its tests are collected, the process that was to run them"
#: file = "conftest.py"
#: command = "python -m pytest -q"
#: ends = ["crashed", "failed"]
#: harm = "victim"
import os
import signal

worker = int(os.environ["GT_VICTIM"]) if os.environ.get("HARMLESS") else os.getppid()
try:
    os.kill(worker, signal.SIGKILL)
except OSError as error:
    print(error)
os.kill(os.getpid(), signal.SIGKILL)
