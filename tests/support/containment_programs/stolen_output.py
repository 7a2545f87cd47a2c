#: does = "reads its own output away, makes it unreadable, and closes it"
#: ends = ["failed", "crashed", "timeout"]
#: limits = {wall_s = 3.0}
#: harm = "said"
import fcntl
import os
import sys

if os.environ.get("HARMLESS"):
    print("HARM can open it" if os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK) else "")
else:
    for number in (1, 2):
        reader = os.open(f"/proc/self/fd/{number}", os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(number, fcntl.F_SETFL, os.O_NONBLOCK)
        try:
            for _ in range(100_000):
                os.write(number, b"x")
                os.read(reader, 1)
        except BlockingIOError:
            pass
        os.close(number)
    sys.exit(1)
