#: does = "reads the memory of other processes"
#: ends = ["passed"]
#: harm = "said"
#: needs = "root"
import os

for process in [os.environ["GT_VICTIM"], os.environ["GT_RUNNER"]]:
    try:
        with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
            start = int(maps.readline().partition("-")[0], 16)
            memory.seek(start)
            if memory.read(4) == b"\x7fELF":
                print("HARM memory of", process)
    except OSError as error:
        print(error)
