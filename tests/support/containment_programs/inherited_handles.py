#: does = "looks into all files that were left open, and into those of the runner, and closes them"
#: ends = ["passed"]
#: harm = "said"
import glob
import os

for path in (
    glob.glob("/proc/self/fd/*") + glob.glob(f"/proc/{os.environ['GT_RUNNER']}/fd/*") + glob.glob("/proc/1/fd/*")
):
    try:
        if os.path.isfile(path) and "PRIVATE KEY" in open(path, errors="replace").read(200):
            print("HARM", path)
    except OSError as error:
        print(error)
os.closerange(3, 4096)
