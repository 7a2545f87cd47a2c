#: does = "types into the terminal that the run was started from"
#: ends = ["passed"]
#: harm = "typed"
#: needs = "root"
import fcntl
import os

TIOCSTI = 0x5412
for path in (os.environ["GT_TERMINAL"], "/dev/tty", "/proc/self/fd/0", "/dev/console"):
    for command in (TIOCSTI, TIOCSTI + (1 << 32)):
        try:
            terminal = os.open(path, os.O_RDWR | os.O_NOCTTY)
            for letter in b"harm\n":
                fcntl.ioctl(terminal, command & 0xFFFFFFFF if os.environ.get("HARMLESS") else command, bytes([letter]))
        except (OSError, OverflowError) as error:
            print(path, error)
