#: does = "puts links to the host into its project, and writes through them"
#: ends = ["passed"]
#: harm = "changed"
import os

host = os.environ["GT_HOST"]
for name, target in {
    "file": f"{host}/file",
    "folder": host,
    "up": "../" * 20 + host.lstrip("/"),
    "root": "/proc/1/root",
}.items():
    os.symlink(target, name)
for path in ("file", "folder/file", "up/file", f"root{host}/file"):
    try:
        with open(path, "a") as file:
            file.write("changed")
    except OSError as error:
        print(error)
