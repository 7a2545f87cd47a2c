#: does = "fills the disk in a folder that nobody may look into"
#: ends = ["output"]
#: limits = {disk_mb = 24}
#: harm = "said"
import os

os.mkdir("locked")
os.chmod("locked", 0o300)
number = 0
while number < 6:
    number += 1
    with open(f"locked/filler-{number}", "wb") as file:
        file.write(bytes(8 << 20))
if os.environ.get("HARMLESS"):
    print("HARM", 8 * number, "MiB")
