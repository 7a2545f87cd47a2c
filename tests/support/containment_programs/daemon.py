#: does = "leaves a process of another session that has forgotten where it came from"
#: ends = ["passed"]
#: harm = "left"
#: without = "bare"
import os

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        os.closerange(0, 100)
        os.execve("/bin/sh", ["sh", "-c", f"sleep 30; : {os.environ['GT_WORD']}"], {})
    os._exit(0)
os.wait()
