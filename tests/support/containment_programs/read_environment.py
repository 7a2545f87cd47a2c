#: does = "looks for keys in its own and all other environments, the parents' too"
#: ends = ["passed"]
#: harm = "said"
import glob
import os

processes = [f"/proc/{os.environ['GT_VICTIM']}"] if os.environ.get("HARMLESS") else glob.glob("/proc/[0-9]*")
for process in processes:
    for name in ("environ", "cmdline"):
        try:
            if b"sk-very-secret" in open(f"{process}/{name}", "rb").read():
                print("HARM", process)
        except OSError:
            pass
if "sk-very-secret" in str(os.environ):
    print("HARM own")
