#: does = "fills the disk with files that have no name any more"
#: ends = ["output"]
#: limits = {disk_mb = 48}
#: harm = "said"
import os

TMPFILE = os.O_TMPFILE | os.O_RDWR
number, handles = 0, []
while not os.environ.get("HARMLESS") or number < 12:
    number += 1
    try:
        handles.append(os.open(".", TMPFILE) if number % 2 else os.open("filler", os.O_CREAT | os.O_RDWR))
        if not number % 2:
            os.unlink("filler")
        os.write(handles[-1], bytes(8 << 20))
    except OSError:  # held by the number of open files: what there is stays
        import time

        time.sleep(0.1)
print("HARM", 8 * number, "MiB")
