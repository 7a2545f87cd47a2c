#: does = "fills the disk in the project's own folder"
#: ends = ["output"]
#: limits = {disk_mb = 24}
#: harm = "said"
import os

number = 0
while not os.environ.get("HARMLESS") or number < 6:
    number += 1
    with open(f"filler-{number}", "wb") as file:
        file.write(bytes(8 << 20))
print("HARM", 8 * number, "MiB")
