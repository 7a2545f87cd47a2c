#: does = "opens devices: memory, the kernel's log, disks, terminals"
#: ends = ["passed"]
#: harm = "said"
#: needs = "root"
import glob
import os

paths = (
    ["/dev/kmsg"]
    if os.environ.get("HARMLESS")
    else [*glob.glob("/dev/**", recursive=True), "/dev/mem", "/dev/port", "/dev/fuse", "/dev/kvm", "/dev/net/tun"]
)
harmless = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console", "stdin", "stdout", "stderr"}
for path in paths:
    if (
        not os.path.isdir(path)
        and os.path.basename(path) not in harmless
        and not path.startswith(("/dev/fd", "/dev/pts", "/dev/shm"))
    ):
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            print("HARM", path)
        except OSError as error:
            print(path, error)
for name, numbers in {"disk": (0o60600, 253, 0), "memory": (0o20600, 1, 1), "console": (0o20600, 5, 1)}.items():
    try:
        os.mknod(name, numbers[0], os.makedev(*numbers[1:]))
        os.close(os.open(name, os.O_RDONLY | os.O_NONBLOCK))
        print("HARM made", name)
    except OSError as error:
        print(name, error)
    if os.path.lexists(name):
        os.unlink(name)
