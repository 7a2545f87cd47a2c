"""The calls to the kernel that no test run needs and that walls have been climbed with: a seccomp filter.

Everything else is allowed: Node, the JVM, compilers and test runners use most of what there is. The rules are those of systemd's
`SystemCallFilter` groups (@mount, @module, @clock, @keyring, @debug, …) and `RestrictSUIDSGID`, of Nix's build sandbox (no set-uid
files), and of Flatpak (new namespaces, terminals).
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

_NAMESPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)  # CLONE_NEW…
_FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6
_NETLINK = 16
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_INODE_FLAGS = (
    *(0x40086602, 0x40046602),  # FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS: +S, +D, +i, +a, +j, … (chattr)
    *(0x40087602, 0x40047602),  # FS_IOC_SETVERSION, FS_IOC32_SETVERSION
    0x401C5820,  # FS_IOC_FSSETXATTR: the same flags, the project of a quota, hints of sizes
    *(
        0x800C6613,
        0xC0506617,
        0xC0406618,
        0xC0406619,
    ),  # …SET_ENCRYPTION_POLICY, …ADD_ENCRYPTION_KEY, …REMOVE_…, …_ALL_USERS
    0x40806685,  # FS_IOC_ENABLE_VERITY
    *(0xC0045877, 0xC0045878, 0xC0185879),  # FIFREEZE, FITHAW, FITRIM
    0x41009432,  # FS_IOC_SETFSLABEL
)
"""What changes an inode or a file system beyond its content and its mode: a folder that stays would carry it on to the next program.

As in `linux/fs.h`, `linux/fscrypt.h` and `linux/fsverity.h`.
"""
_UINT = 0xFFFFFFFF
_SET_ID = (stat.S_ISUID, stat.S_ISGID)


@dataclass(frozen=True, slots=True)
class ArgumentTest:
    """What an argument of a call must be for a rule to hold: equal, greater, other, or with these bits of a mask set."""

    index: int
    is_: str  # "EQ" | "GT" | "NE" | "MASKED_EQ"
    value: int
    mask: int = 0


@dataclass(frozen=True, slots=True)
class SyscallRule:
    """One kind of call that fails with `error`; `number` is for libraries that do not know the name yet."""

    call: str
    when: tuple[ArgumentTest, ...] = ()
    error: int = errno.EPERM
    number: int | None = None


_NEVER = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "perf_event_open", "bpf"),
    *("mount", "umount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick"),
    *("open_tree", "move_mount", "unshare", "setns", "name_to_handle_at", "open_by_handle_at", "fanotify_init"),
    *("keyctl", "add_key", "request_key", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "syslog", "acct"),
    *("swapon", "swapoff", "quotactl", "sethostname", "setdomainname", "vhangup", "iopl", "ioperm", "nfsservctl"),
    *("settimeofday", "clock_settime", "clock_settime64", "clock_adjtime", "clock_adjtime64", "adjtimex", "stime"),
    *("uselib", "lookup_dcookie", "migrate_pages", "vmsplice"),
)
_NEVER_AND_NEW = {"mount_setattr": 442, "quotactl_fd": 443, "open_tree_attr": 467, "file_setattr": 469}


def rules() -> tuple[SyscallRule, ...]:
    """Return all rules; a call that none of them speaks of is allowed."""
    return (
        *(SyscallRule(call) for call in _NEVER),
        *(SyscallRule(call, number=number) for call, number in _NEVER_AND_NEW.items()),
        # Their arguments lie in memory, where a filter cannot look. The C library and others then use the older calls.
        *(SyscallRule(call, error=errno.ENOSYS) for call in ("clone3", "openat2")),
        *(SyscallRule("clone", (ArgumentTest(0, "MASKED_EQ", flag, flag),)) for flag in _NAMESPACES),
        # The kernel takes 32 bits of these: to compare all 64 would let the call through with a bit set above them.
        *(SyscallRule("ioctl", (ArgumentTest(1, "MASKED_EQ", command, _UINT),)) for command in _TERMINAL_INPUT),
        # As on a file system that has no such flags.
        *(SyscallRule("ioctl", (ArgumentTest(1, "MASKED_EQ", one, _UINT),), errno.ENOTTY) for one in _INODE_FLAGS),
        # It would fill a disk before anyone can look. The C library then writes instead, which takes time.
        SyscallRule("fallocate", error=errno.EOPNOTSUPP),
        # The scheduling of others, which for a warm worker's process 1 nobody could set back.
        SyscallRule("ioprio_set"),
        SyscallRule("sched_setattr", (ArgumentTest(0, "NE", 0),)),
        *_sockets(),
        *_set_id_files(),
    )


def _sockets() -> Iterator[SyscallRule]:
    """Deny all address families but those of a machine's own network; of netlink only routes (which interfaces there are)."""
    for call in ("socket", "socketpair"):
        for family in range(_NETLINK):
            if family not in _FAMILIES:
                yield SyscallRule(call, (ArgumentTest(0, "EQ", family),), errno.EAFNOSUPPORT)
        yield SyscallRule(call, (ArgumentTest(0, "GT", _NETLINK),), errno.EAFNOSUPPORT)
        yield SyscallRule(call, (ArgumentTest(0, "EQ", _NETLINK), ArgumentTest(2, "NE", 0)), errno.EPROTONOSUPPORT)


def _set_id_files() -> Iterator[SyscallRule]:
    """Deny set-id files: the project is on a disk of the host, where their owner would be the user of ghosttape."""
    places = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "mknod": 1, "mknodat": 2, "creat": 1}
    for bit in _SET_ID:
        for call, index in places.items():
            number = 452 if call == "fchmodat2" else None
            yield SyscallRule(call, (ArgumentTest(index, "MASKED_EQ", bit, bit),), number=number)
        for call, index in (("open", 1), ("openat", 2)):
            for flag in (os.O_CREAT, os.O_TMPFILE & ~os.O_DIRECTORY):
                made = ArgumentTest(index, "MASKED_EQ", flag, flag)
                yield SyscallRule(call, (made, ArgumentTest(index + 1, "MASKED_EQ", bit, bit)))


@cache
def program() -> bytes:
    """Return the filter for this machine's processor, as the kernel reads it; b"" where it cannot be made (see `fault`)."""
    return b"" if isinstance(library := _library(), str) else _compiled(library)


def fault() -> str:
    """Return why there is no filter here, or "" if there is one."""
    return library if isinstance(library := _library(), str) else ""


@contextmanager
def opened() -> Iterator[int | None]:
    """Open the filter as a file that a child process can read once, or None where there is none."""
    if not (code := program()):
        yield None
        return
    handle = os.memfd_create("filter")
    try:
        os.write(handle, code)
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)


_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_BAD_ARCHITECTURE = 2  # SCMP_FLTATR_ACT_BADARCH
_COMPARISONS = {"NE": 1, "EQ": 4, "GT": 6, "MASKED_EQ": 7}
"""Constants of `seccomp.h`, the interface of libseccomp 2."""


class _Comparison(ctypes.Structure):
    """`struct scmp_arg_cmp`: with MASKED_EQ the first datum is the mask and the second the value."""

    _fields_ = (
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("datum_a", ctypes.c_uint64),
        ("datum_b", ctypes.c_uint64),
    )


@cache
def _library() -> ctypes.CDLL | str:
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError as error:
        return f"{error}: install libseccomp (on Debian: libseccomp2)"
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_attr_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32]
    library.seccomp_rule_add_array.argtypes = [
        *(ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(_Comparison))
    ]
    library.seccomp_export_bpf.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.seccomp_release.argtypes = [ctypes.c_void_p]
    return library


def _compiled(library: ctypes.CDLL) -> bytes:
    made = library.seccomp_init(_ALLOW)
    try:
        # 32-bit calls would be a way around all rules
        _done(library.seccomp_attr_set(made, _BAD_ARCHITECTURE, _KILL_PROCESS))
        for rule in rules():
            if (number := _number_of(library, rule)) is not None:
                tests = (_Comparison * len(rule.when))(*map(_comparison, rule.when))
                _done(library.seccomp_rule_add_array(made, _ERRNO | rule.error, number, len(tests), tests))
        with tempfile.TemporaryFile() as file:
            _done(library.seccomp_export_bpf(made, file.fileno()))
            file.seek(0)
            return file.read()
    finally:
        library.seccomp_release(made)


def _number_of(library: ctypes.CDLL, rule: SyscallRule) -> int | None:
    """Return the call's number on this processor; None if it has no such call."""
    known: int = library.seccomp_syscall_resolve_name(rule.call.encode())
    return known if known >= 0 else rule.number


def _comparison(test: ArgumentTest) -> _Comparison:
    data = (test.mask, test.value) if test.is_ == "MASKED_EQ" else (test.value, 0)
    return _Comparison(test.index, _COMPARISONS[test.is_], *data)


def _done(status: int) -> None:
    if status < 0:
        raise OSError(-status, f"libseccomp: {os.strerror(-status)}")
