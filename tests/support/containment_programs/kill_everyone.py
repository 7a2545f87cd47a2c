#: does = "kills every process that it may"
#: ends = ["crashed", "passed"]
#: harm = "victim"
import os
import signal

os.kill(int(os.environ["GT_VICTIM"]) if os.environ.get("HARMLESS") else -1, signal.SIGKILL)
