#: does = "leaves folders nested beyond any path, and names of the worst kind"
#: ends = ["passed", "output"]
#: harm = "unremovable"
#: without = "bare"
import os

for name in (b"n" * 255, b"new\nline", b"\xff\xfe not UTF-8", b"-rf", b"*", b"\x1b[2J", b"a\\b"):
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
for _ in range(1100):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
