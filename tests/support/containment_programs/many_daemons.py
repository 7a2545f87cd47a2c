#: does = "leaves processes that start another one before they can be killed"
#: ends = ["passed", "crashed", "failed"]
#: limits = {processes = 40}
#: harm = "left"
#: without = "bare"
import os
import sys
import time

hops = 100 if os.environ.get("HARMLESS") else 1 << 30
os.closerange(0, 100)
if os.fork():
    sys.exit()
while hops:
    hops -= 1
    os.setsid()
    try:
        if os.fork():
            os._exit(0)
    except OSError:
        continue
    time.sleep(0.05)
