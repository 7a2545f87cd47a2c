#: does = "leaves programs on the host's disk that run with the rights of whoever started the run"
#: ends = ["passed"]
#: harm = "set-id"
import ctypes
import os

call = ctypes.CDLL(None, use_errno=True).syscall


def handle(name, mode=0o755):
    return os.open(name, os.O_CREAT | os.O_WRONLY, mode)


def attempt(function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        print(error)


for number, bit in enumerate((0o4000, 0o2000)):
    attempt(os.chmod, (f"chmod-{number}", os.close(handle(f"chmod-{number}")))[0], bit | 0o755)
    attempt(os.fchmod, handle(f"fchmod-{number}"), bit | 0o755)
    attempt(handle, f"open-{number}", bit | 0o755)
    attempt(os.mknod, f"mknod-{number}", bit | 0o100755)
    os.close(handle(f"fchmodat2-{number}"))
    call(452, -100, f"fchmodat2-{number}".encode(), bit | 0o755, 0)
    how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, bit | 0o755, 0)
    call(437, -100, f"openat2-{number}".encode(), how, 24)
