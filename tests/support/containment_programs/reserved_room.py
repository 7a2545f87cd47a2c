#: does = "reserves room on the disk, which takes no time"
#: ends = ["output"]
#: limits = {disk_mb = 24}
#: harm = "said"
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long)
reserved = 0
for number in range(8):
    handle = os.open(f"room-{number}", os.O_CREAT | os.O_RDWR)
    if libc.fallocate(handle, 0, 0, 16 << 20) == 0:
        reserved += 16
if reserved:
    print("HARM", reserved, "MiB at once")
while not os.environ.get("HARMLESS"):  # what is left is to write, and that is seen
    with open(f"filler-{os.getpid()}", "ab") as file:
        file.write(bytes(1 << 20))
