#: does = "takes memory until there is none left"
#: ends = ["memory"]
#: limits = {memory_mb = 96}
#: harm = "said"
import os

taken = []
while not os.environ.get("HARMLESS") or len(taken) < 40:
    taken.append(b"x" * (4 << 20))
print("HARM", 4 * len(taken), "MiB")
