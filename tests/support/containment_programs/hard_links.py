#: does = "links files of the host into its project, and writes through them"
#: ends = ["passed"]
#: harm = "changed"
import os

host = os.environ["GT_HOST"]
for number, path in enumerate((f"{host}/file", f"/proc/1/root{host}/file", "/etc/passwd", "/proc/self/exe")):
    try:
        os.link(path, f"link-{number}")
        if path.startswith(host):
            with open(f"link-{number}", "a") as file:
                file.write("changed")
    except OSError as error:
        print(error)
