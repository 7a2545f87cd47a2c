#: does = "writes outside of the project, by all paths that it knows"
#: ends = ["passed"]
#: harm = "marker"
import os

marker = os.environ["GT_MARKER"]
for path in (
    marker,
    f"/proc/1/root{marker}",
    f"/proc/self/cwd/{'../' * 12}{marker}",
    f"/proc/{os.environ['GT_RUNNER']}/root{marker}",
):
    try:
        with open(path, "w") as file:
            file.write("was here")
    except OSError as error:
        print(error)
