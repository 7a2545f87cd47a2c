#: does = "calls the kernel by the numbers of another processor, which a filter may not know"
#: ends = ["crashed", "passed"]
#: harm = "said"
#: needs = "x86_64"
import ctypes
import mmap
import os

# mov eax, 135 (personality of 32-bit programs: 136); mov ebx, -1; int 0x80; ret
code = bytes.fromhex("b88800000053bbffffffffcd805bc3")
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(code)
function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
if (child := os.fork()) == 0:
    os._exit(0 if function() >= 0 else 1)
if os.waitpid(child, 0)[1] == 0:
    print("HARM 32-bit")
X32_GETPID = 0x40000000 + 39
if (child := os.fork()) == 0:
    os._exit(0 if ctypes.CDLL(None).syscall(X32_GETPID) > 0 else 1)
if os.waitpid(child, 0)[1] == 0:
    print("HARM x32")
