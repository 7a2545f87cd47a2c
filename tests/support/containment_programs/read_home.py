#: does = "looks for keys in homes and everywhere else"
#: ends = ["passed"]
#: harm = "said"
import os

places = [os.environ["GT_HOST"]]
if not os.environ.get("HARMLESS"):
    places += [
        "/root",
        "/home",
        "/var",
        "/srv",
        "/mnt",
        "/media",
        "/work",
        "/run",
        "/boot",
        "/proc/1/root/root",
        "/proc/self/cwd/../../root",
        "/proc/self/cwd/../../home",
    ]
for place in places:
    for root, _, files in os.walk(place):
        for file in files:
            try:
                if file.startswith("id_") and "PRIVATE KEY" in open(os.path.join(root, file)).read():
                    print("HARM", os.path.join(root, file))
            except (OSError, UnicodeDecodeError):
                pass
