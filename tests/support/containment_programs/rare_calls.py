#: does = "calls parts of the kernel that tests never need and that holes have been found in"
#: ends = ["passed"]
#: harm = "said"
import ctypes
import errno
import os

NUMBERS = {
    "x86_64": {
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "perf_event_open": 298,
        "bpf": 321,
        "userfaultfd": 323,
        "process_vm_readv": 310,
        "kcmp": 312,
        "kexec_load": 246,
        "init_module": 175,
        "acct": 163,
        "swapon": 167,
        "quotactl": 179,
        "reboot": 169,
        "syslog": 103,
        "clock_settime": 227,
        "open_by_handle_at": 304,
    },
    "aarch64": {
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "perf_event_open": 241,
        "bpf": 280,
        "userfaultfd": 282,
        "process_vm_readv": 270,
        "kcmp": 272,
        "kexec_load": 104,
        "init_module": 105,
        "acct": 89,
        "swapon": 224,
        "quotactl": 60,
        "reboot": 142,
        "syslog": 116,
        "clock_settime": 112,
        "open_by_handle_at": 265,
    },
}[os.uname().machine]
NEW = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
}
libc = ctypes.CDLL(None, use_errno=True)
calls = {**NUMBERS, **NEW}
for name in ("process_vm_readv", "io_uring_setup", "keyctl") if os.environ.get("HARMLESS") else calls:
    # Arguments that are wrong: what is reached says so, what is forbidden says that.
    libc.syscall(
        calls[name],
        ctypes.c_long(-1),
        ctypes.c_long(-1),
        ctypes.c_long(-1),
        ctypes.c_long(-1),
        ctypes.c_long(-1),
        ctypes.c_long(-1),
    )
    if ctypes.get_errno() not in {errno.EPERM, errno.ENOSYS}:
        print("HARM", name, errno.errorcode[ctypes.get_errno()])
