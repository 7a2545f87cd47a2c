#: does = "looks for keys in homes and everywhere else"
#: ends = ["passed"]
#: harm = "said"
import os

places = [os.environ["GT_HOST"]]
if not os.environ.get("HARMLESS"):
    places += ["/root", "/home", "/var", "/srv", "/mnt", "/media", "/work", "/proc/1/root", "/proc/self/cwd/../..", "/run", "/sys", "/boot"]
for place in places:
    for root, _, files in os.walk(place):
        for file in files:
            try:
                if file.startswith("id_") and "PRIVATE KEY" in open(os.path.join(root, file)).read():
                    print("HARM", os.path.join(root, file))
            except (OSError, UnicodeDecodeError):
                pass
