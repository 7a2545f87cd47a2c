#: does = "talks to services of the host by sockets that are files"
#: ends = ["passed"]
#: harm = "connected"
import glob
import os
import socket

paths = [os.environ["GT_SOCKET"]]
if not os.environ.get("HARMLESS"):
    paths += [
        *glob.glob("/run/**/*sock*", recursive=True),
        *glob.glob("/var/run/*sock*"),
        *glob.glob("/tmp/.X11-unix/*"),
    ]
for path in paths:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            print("HARM", path)
    except OSError as error:
        print(path, error)
