#: does = "makes namespaces of its own, in which it would be root and could ask much more of the kernel"
#: ends = ["passed"]
#: harm = "said"
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
CLONE = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
for flag in (0x10000000, 0x00020000, 0x40000000, 0x20000000, 0x04000000, 0x08000000, 0x02000000):
    if (child := os.fork()) == 0:
        os._exit(0 if libc.unshare(flag) == 0 else 1)
    if os.waitpid(child, 0)[1] == 0:
        print("HARM unshare", hex(flag))
    if (child := libc.syscall(CLONE, flag | 17, 0, 0, 0, 0)) == 0:
        os._exit(0)
    if child > 0:
        os.waitpid(child, 0)
        print("HARM clone", hex(flag))
about = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
if (child := libc.syscall(435, about, 88)) == 0:
    os._exit(0)
if child > 0:
    os.waitpid(child, 0)
    print("HARM clone3")
