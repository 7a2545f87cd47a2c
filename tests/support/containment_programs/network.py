#: does = "talks to this machine, to the local link, and to the world"
#: ends = ["passed"]
#: harm = "connected"
import os
import socket

port = int(os.environ["GT_PORT"])
addresses = os.environ["GT_ADDRESSES"].split(",")
if not os.environ.get("HARMLESS"):
    addresses += ["169.254.169.254", "192.0.2.1", "::1", "fe80::1", "localhost", "example.com"]
for address in addresses:
    try:
        with socket.create_connection((address, port), 0.5) as connection:
            connection.sendall(b"a secret")
    except OSError as error:
        print(address, error)
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"a secret", (address, port))
    except OSError as error:
        print(address, error)
