#: does = "takes memory in many processes, each of them small"
#: ends = ["memory"]
#: limits = {memory_mb = 96}
#: harm = "said"
#: needs = "cgroup"
import os

ready, ended = os.pipe(), os.pipe()
for _ in range(8):
    if os.fork() == 0:
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
if there == 8:
    print("HARM", 8 * 24, "MiB")
raise SystemExit(1)
