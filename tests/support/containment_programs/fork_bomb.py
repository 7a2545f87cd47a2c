#: does = "starts processes until there is no room for more"
#: ends = ["timeout"]
#: limits = {processes = 40, wall_s = 1.0}
#: harm = "said"
import os
import time

HARMLESS = os.environ.get("HARMLESS")
children = []
while not HARMLESS or len(children) < 60:
    try:
        child = os.fork()
    except OSError:
        continue
    if child == 0 and HARMLESS:
        time.sleep(5)
        os._exit(0)
    children.append(child)
print("HARM", len(children), "processes")
for child in children:
    os.kill(child, 9)
