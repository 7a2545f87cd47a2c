#: does = "makes files without content until the file system can hold no more"
#: ends = ["output"]
#: limits = {disk_mb = 8}
#: harm = "said"
import os

number = 0
while not os.environ.get("HARMLESS") or number < 3000:
    number += 1
    os.close(os.open(f"empty-{number}", os.O_CREAT | os.O_WRONLY))
print("HARM", number, "files")
