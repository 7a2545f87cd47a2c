#: does = "takes other processes over with ptrace"
#: ends = ["passed"]
#: harm = "said"
#: needs = "root"
import ctypes
import os

ATTACH, DETACH = 16, 17
ptrace = ctypes.CDLL(None, use_errno=True).ptrace
ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
targets = [int(os.environ["GT_VICTIM"])]
if not os.environ.get("HARMLESS"):
    targets += [1, os.getppid(), int(os.environ["GT_RUNNER"])]
for target in targets:
    if ptrace(ATTACH, target, None, None) == 0:
        os.waitpid(target, 0x40000000)
        ptrace(DETACH, target, None, None)
        print("HARM attached to", target)
    else:
        print(target, os.strerror(ctypes.get_errno()))
