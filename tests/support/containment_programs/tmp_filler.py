#: does = "fills the temporary folders, which may be memory"
#: ends = ["exception", "failed"]
#: limits = {tmp_mb = 8}
#: harm = "said"
import os

refused = None
for folder in ("/tmp", "/dev/shm"):
    path = f"{folder}/filler-{os.environ['GT_WORD']}"
    try:
        with open(path, "wb") as file:
            for _ in range(24):
                file.write(bytes(1 << 20))
        print("HARM 24 MiB in", folder)
    except OSError as error:
        refused = error
    finally:
        os.unlink(path)
if refused:
    raise refused
