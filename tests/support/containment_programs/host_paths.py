#: does = "looks for the place of its project on the host in the command lines and variables of all processes"
#: ends = ["passed"]
#: harm = "said"
import glob
import os

place = os.path.join(os.path.dirname(os.environ["GT_HOST"]), "project").encode()
for process in ["/proc/self"] if os.environ.get("HARMLESS") else glob.glob("/proc/[0-9]*"):
    for name in ("cmdline", "environ"):
        try:
            with open(f"{process}/{name}", "rb") as file:
                if place in file.read():
                    print("HARM", process, name)
        except OSError as error:
            print(error)
