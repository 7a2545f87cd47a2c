#: does = "makes a file of holes, far larger than the disk"
#: ends = ["exception", "failed", "output"]
#: harm = "said"
import os

with open("holes", "wb") as file:
    file.truncate(1 << 36)
if os.stat("holes").st_size == 1 << 36:
    print("HARM 64 GiB")
