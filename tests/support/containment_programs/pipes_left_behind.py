#: does = "leaves pipes and sockets, on which whoever copies the project would wait for ever"
#: ends = ["passed"]
#: harm = "uncopyable"
import os
import socket

os.mkfifo("pipe")
os.mkdir("sub")
os.mkfifo("sub/pipe")
socket.socket(socket.AF_UNIX).bind("socket")
