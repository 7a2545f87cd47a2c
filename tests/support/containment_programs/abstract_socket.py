#: does = "talks to services of the host by sockets that have a name but no file"
#: ends = ["passed"]
#: harm = "connected"
import os
import socket

try:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("\0" + os.environ["GT_WORD"])
        connection.sendall(b"a secret")
except OSError as error:
    print(error)
