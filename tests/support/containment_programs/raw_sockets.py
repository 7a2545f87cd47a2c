#: does = "opens sockets of rare kinds: raw packets, the kernel's own, virtual machines'"
#: ends = ["passed"]
#: harm = "said"
#: needs = "root"
import os
import socket

kinds = [(16, 3, 9), (17, 3, 0)]  # netlink of the audit, packets
if not os.environ.get("HARMLESS"):
    kinds += [(16, 3, protocol) for protocol in (6, 12, 15, 16)]
    kinds += [(family, kind, 0) for family in (*range(3, 10), *range(11, 16), *range(18, 46)) for kind in (1, 2, 3, 5)]
    kinds += [(2, 3, 1), (10, 3, 58)]
for family, kind, protocol in kinds:
    try:
        socket.socket(family, kind, protocol).close()
        print("HARM", family, kind, protocol)
    except OSError:
        pass
