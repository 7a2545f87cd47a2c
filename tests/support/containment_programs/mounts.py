#: does = "mounts file systems, the host's disk among them, and undoes mounts that hide things"
#: ends = ["passed"]
#: harm = "said"
#: needs = "root"
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
if os.environ.get("HARMLESS"):
    libc.unshare(0x00020000)  # in a space of its own, in which nothing spreads to the host
    libc.mount(b"none", b"/", None, 0x40000 | 0x4000, None)
os.makedirs("here", exist_ok=True)
attempts = [
    (b"none", b"here", b"tmpfs", 0),
    (b"proc", b"here", b"proc", 0),
    (b"/", b"here", None, 0x1000),
    (b"none", b"/", None, 0x20 | 0x1000),
]
for source, target, kind, flags in attempts:
    if libc.mount(source, target, kind, flags, None) == 0:
        print("HARM", source, kind)
    else:
        print(source, kind, os.strerror(ctypes.get_errno()))
for path in (b"/proc", b"/tmp", b"/project", b"/usr", b"/dev"):
    if not os.environ.get("HARMLESS") and libc.umount2(path, 2) == 0:
        print("HARM gone:", path)
