#: does = "goes over into the namespaces of other processes"
#: ends = ["passed"]
#: harm = "said"
#: needs = "root"
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
processes = (
    [os.environ["GT_VICTIM"]] if os.environ.get("HARMLESS") else [os.environ["GT_VICTIM"], "1", os.environ["GT_RUNNER"]]
)
for process in processes:
    for kind in ("user", "mnt", "net", "pid", "ipc", "uts", "cgroup"):
        try:
            space = os.open(f"/proc/{process}/ns/{kind}", os.O_RDONLY)
        except OSError as error:
            print(error)
            continue
        if libc.setns(space, 0) == 0:
            print("HARM", process, kind)
        os.close(space)
