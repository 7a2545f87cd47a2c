#: does = "takes memory in many processes, each of them small"
#: ends = ["memory"]
#: limits = {memory_mb = 96}
#: harm = "said"
#: needs = "cgroup"
import os
import time

ready, ended = os.pipe(), os.pipe()
holders = []
for _ in range(8):
    holders.append(os.fork())
    if holders[-1] == 0:
        taken = b"x" * (24 << 20)
        os.write(ready[1], b".")
        os.close(ready[1])
        os.close(ended[1])
        os.read(ended[0], 1)
        os._exit(0)
os.close(ready[1])
there = 0
while there < 8 and os.read(ready[0], 1):
    there += 1
# One that was killed after it had said so holds nothing any more; it may take a moment until it is gone.
time.sleep(0.5)
alive = sum(os.waitpid(holder, os.WNOHANG) == (0, 0) for holder in holders)
if alive == 8:
    print("HARM", alive * 24, "MiB")
raise SystemExit(1)
