"""Programs that try to leave something to the program after them, and innocent ones that fail where something was left.

Each poisoner must end with status 0 and print what it could do; what it is refused it says too. `sh` lines are run by a child.
"""

_SHELL = {
    "python": "import subprocess\nprint(subprocess.run(['sh', '-c', {!r}], capture_output=True, text=True).stdout)\n",
    "javascript": "console.log(require('child_process').spawnSync('sh', ['-c', {}]).stdout.toString());\n",
    "typescript": "import {{ spawnSync }} from 'child_process';\nconsole.log(spawnSync('sh', ['-c', {}]).stdout.toString());\n",
    "java": "public class P {{ public static void main(String[] a) throws Exception {{\n"
    'new ProcessBuilder("sh", "-c", {}).inheritIO().start().waitFor();\n}} }}\n',
    "cpp": "#include <cstdlib>\nint main() {{ return std::system({}) < 0; }}\n",
}


def shell(language, line):
    """A program in a language that runs a line of shell."""
    import json

    return _SHELL[language].format(line if language == "python" else json.dumps(line))


_CTYPES = "import ctypes, os, platform\nlibc = ctypes.CDLL(None, use_errno=True)\n"
_SETS_FLAGS = (
    _CTYPES
    + """
import fcntl, struct
for folder in ("/project", "/tmp", "/dev/shm"):
    handle = os.open(folder, os.O_RDONLY)
    for request, value in ((0x40086602, 0x48), (0x40086602, 0x10), (0x40046602, 0x48), (0x401C5820, 0)):
        try: print(folder, hex(request), fcntl.ioctl(handle, request, struct.pack("Q24x", value)))
        except OSError as error: print(folder, hex(request), error)
"""
)
_XATTRS = """
import os, struct
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *one) for one in
    ((1, 7, 0xFFFFFFFF), (2, 7, 12345), (4, 0, 0xFFFFFFFF), (16, 7, 0xFFFFFFFF), (32, 0, 0xFFFFFFFF)))
for folder in ("/project", "/tmp", "/dev/shm"):
    for name, value in (("user.poison", b"x" * 3000), ("system.posix_acl_default", acl), ("system.posix_acl_access", acl)):
        try: os.setxattr(folder, name, value); print(folder, name, "set")
        except OSError as error: print(folder, name, error)
"""
_IPC = (
    _CTYPES
    + """
print(libc.shmget(77, 4096, 0o1666), libc.semget(77, 1, 0o1666), libc.msgget(77, 0o1666))
rt = ctypes.CDLL("librt.so.1", use_errno=True)
print(rt.mq_open(b"/poison", os.O_CREAT | os.O_RDWR, 0o666, None))
number = {"x86_64": 248, "aarch64": 217}[platform.machine()]
print(libc.syscall(number, b"user", b"poison", b"x", 1, -3), ctypes.get_errno())
"""
)
_PROC = """
import os
for name, value in (("oom_score_adj", "1000"), ("comm", "poison"), ("coredump_filter", "0x7f"), ("timerslack_ns", "999999999"),
                    ("autogroup", "19"), ("clear_refs", "1"), ("setgroups", "deny"), ("uid_map", "0 0 1"), ("environ", "x")):
    for process in ("1", str(os.getppid())):
        try: open(f"/proc/{process}/{name}", "w").write(value); print(name, "written")
        except OSError as error: print(name, error)
"""
_DAEMON = """
import fcntl, os, socket, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for folder in ("/project", "/tmp"):
            fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX)
        made = socket.socket(socket.AF_UNIX); made.bind("\\0poison"); made.listen()
        memory = os.memfd_create("poison"); os.write(memory, b"x" * 4096)
        while True: open("/project/late", "a").write("x"); time.sleep(0.01)
    os._exit(0)
time.sleep(0.1); print("gone")
"""
_STATE = """
import os, resource, signal
os.umask(0o777); os.chdir("/tmp"); os.environ["PATH"] = "/poison"; os.environ["PYTHONSTARTUP"] = "/tmp/x"
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
for number in (1, 2, 13, 14, 15, 17): signal.signal(number, signal.SIG_IGN)
for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_CORE, resource.RLIMIT_STACK):
    for process in (0, 1, os.getppid()):
        try: resource.prlimit(process, kind, (16, 16)); print(process, kind)
        except OSError as error: print(error)
print("changed")
"""
_PACKAGES = """
import os, site, sys
for folder in {*sys.path, *site.getsitepackages(), "/warm", "/ghosttape", os.path.dirname(os.__file__), "/usr/lib", "/etc", "/var/tmp", "/run", "/dev", "/"}:
    for name in ("sitecustomize.p" "y", "usercustomize.p" "y", "poison.pth", "json.p" "y", "conftest.p" "y"):
        try: open(os.path.join(folder, name), "w").write("raise SystemExit(9)"); print(folder, name)
        except OSError: continue
"""
_TIMES = """
import os
for folder in ("/project", "/tmp", "/dev/shm"):
    os.utime(folder, (0, 0)); os.chmod(folder, 0o1777); print(folder)
os.utime("/project/program.p" "y", (4e9, 4e9))
"""
_SOCKETS = """
import os, socket
for folder in ("/project", "/tmp", "/dev/shm"):
    os.mkfifo(f"{folder}/fifo"); one = socket.socket(socket.AF_UNIX); one.bind(f"{folder}/socket"); one.listen()
    os.symlink("/", f"{folder}/link"); os.link("/project/program.p" "y", f"{folder}/hard") if folder == "/project" else None
print("left")
"""
_SIGNALS = """
import os, signal, time
for number in (signal.SIGIO, signal.SIGCHLD, signal.SIGUSR1, signal.SIGTERM, signal.SIGRTMIN):
    getattr(os, 'ki' + 'll')(1, number)
signal.setitimer(signal.ITIMER_REAL, 3600); print("sent")
"""
_INHERITED = """
import os, fcntl
for number in range(0, 4096):
    try: flags = fcntl.fcntl(number, fcntl.F_GETFL); fcntl.fcntl(number, fcntl.F_SETFL, flags | os.O_NONBLOCK | os.O_APPEND | os.O_ASYNC); fcntl.fcntl(number, fcntl.F_SETOWN, 1)
    except OSError: continue
print("set")
"""

_FILES = "for d in /project /tmp /dev/shm; do mkdir -p $d/a/b && echo x >$d/a/b/c && ln -s /etc/passwd $d/.hidden && chmod 0 $d/a/b; done; echo left"
_LAYERS = (
    'for d in /node_modules /node_modules/typescript/lib /ghosttape /warm /headers /built "$DRIVE_JAVA" "$DRIVE_CPP" /tmp/out /usr/lib /usr/include /etc; do '
    "for f in index.js package.json typescript.js drive.cjs drive.o ghosttape/witness/Drive.class ld.so.preload stdio.h; do "
    '(echo poison >"$d/$f") 2>/dev/null && echo "$d/$f"; done; mv "$d" "$d.old" 2>/dev/null && echo "moved $d"; done; echo tried'
)
_NAMES = (
    'cd /project && echo \'{"type": "module"}\' >package.json && echo "{}" >tsconfig.json && echo "#error x" >iostream && echo "x" >.npmrc && '
    "mkdir -p node_modules/assert out ghosttape/witness && echo 'throw 1' >node_modules/assert/index.js && echo x >ghosttape/witness/Drive.class; "
    "mkdir /tmp/program /tmp/.said /tmp/hsperfdata_nobody; echo x >/tmp/.java_pid1; cp package.json / 2>/dev/null; echo left"
)
_BACKGROUND = (
    "(setsid sh -c 'while :; do echo x >>/project/late; echo x >>/tmp/late; sleep 0.01; done' >/dev/null 2>&1 &); "
    "(setsid sleep 3600 >/dev/null 2>&1 &); echo left"
)
_PRIORITY = "renice -n 19 -p 1; ionice -c 3 -p 1; taskset -p 1 1; chrt -b -p 0 1; prlimit --pid 1 --nofile=16 --core=0; echo tried"
_ATTRIBUTES = "for d in /project /tmp /dev/shm; do chattr +SD $d; chattr -p 77 $d; setfattr -n user.x -v y $d; setfacl -m u:1:rwx $d; done; echo tried"
_FULL = "head -c 100000000 /dev/zero >/dev/shm/full; head -c 100000000 /dev/zero >/tmp/full; echo filled"
_MODES = "chmod 0 /dev/shm /tmp; chmod 0500 /project; touch -d 1970-01-02 /project; echo closed"
_MANY = "cd /tmp && i=0; while [ $i -lt 300 ]; do mkdir d$i && echo x >d$i/f && cd d$i; i=$((i+1)); done; echo deep"
_GIT = "cd /project && mkdir .git .vscode .ghosttape && echo x >.witness && echo x >.end.js && echo x >.git/config && ln -s /proc/self/exe program; echo left"
_CONFIG = 'echo x >"$HOME/.profile"; echo x >"$HOME/.bashrc"; mkdir -p "$HOME/.config" "$HOME/.java/.userPrefs" "$HOME/.cache/node"; echo x >"$HOME/.gitconfig"; echo left'
_PIPES = "mkfifo /project/pipe /tmp/pipe /dev/shm/pipe; (setsid sh -c 'exec 9<>/tmp/pipe; sleep 3600' >/dev/null 2>&1 &) ; echo left"
SHELL = {
    "files that nobody may enter": _FILES,
    "its layers": _LAYERS,
    "names that tools look for": _NAMES,
    "processes in the background": _BACKGROUND,
    "the priority of process 1": _PRIORITY,
    "attributes of folders": _ATTRIBUTES,
    "full file systems": _FULL,
    "modes and times of folders": _MODES,
    "folders in folders": _MANY,
    "folders of tools": _GIT,
    "settings at home": _CONFIG,
    "pipes with a reader": _PIPES,
}
"""What a program of any language can do by a shell."""

PYTHON = {
    "inode flags": _SETS_FLAGS,
    "extended attributes": _XATTRS,
    "objects of the kernel": _IPC,
    "files of process 1": _PROC,
    "locks of a daemon": _DAEMON,
    "its own state": _STATE,
    "modules": _PACKAGES,
    "times": _TIMES,
    "sockets": _SOCKETS,
    "signals": _SIGNALS,
    "what it inherits": _INHERITED,
}
POISONERS = {
    language: {name: shell(language, line) for name, line in SHELL.items()} | (PYTHON if language == "python" else {})
    for language in _SHELL
}
"""71 programs: language → what is left → text."""

INNOCENT = {
    "python": """
import fcntl, glob, json, os, resource, signal, socket, stat, subprocess, sys, unittest
assert os.listdir("/tmp") == os.listdir("/dev/shm") == [] and [one.split(".")[0] for one in os.listdir("/project")] == ["program"], os.listdir("/project")
others = [p for p in glob.glob("/proc/[0-9]*") if int(p[6:]) not in (1, os.getpid())]
assert others == [], others
for folder in ("/project", "/tmp", "/dev/shm"):
    assert os.listxattr(folder) in ([], ["security.selinux"]), os.listxattr(folder)
    open(folder + "/mine", "w").close(); os.unlink(folder + "/mine")
    handle = os.open(folder, os.O_RDONLY); fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB); os.close(handle)
    flags = bytearray(8)
    try: fcntl.ioctl(os.open(folder, os.O_RDONLY), 0x80086601, flags)
    except OSError: pass
    assert not int.from_bytes(flags[:4], "little") & 0x58, flags
for table in ("shm", "sem", "msg"):
    assert len(open(f"/proc/sysvipc/{table}").readlines()) == 1, table
assert os.umask(0o22) == 0o22 and os.getcwd() == "/project" and "poison" not in str(os.environ)
assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set() and signal.getsignal(15) == signal.SIG_DFL
assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 100 and os.getpriority(0, 0) == 0 == os.getpriority(0, 1)
one = socket.socket(socket.AF_UNIX); one.bind("\\0poison")
assert open("/proc/1/comm").read().strip() != "poison" and open("/proc/self/oom_score_adj").read() != "1000"
print(subprocess.run(["true"]).returncode)
""",
    "javascript": """
const assert = require('assert'), fs = require('fs');
for (const folder of ['/tmp', '/dev/shm']) assert.deepStrictEqual(fs.readdirSync(folder), []);
assert.deepStrictEqual(fs.readdirSync('/project'), ['program.js']);
const alive = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && fs.readFileSync(`/proc/${name}/cmdline`, 'latin1').includes('sleep'));
assert.deepStrictEqual(alive, []);
fs.writeFileSync('mine', 'x'); fs.writeFileSync('/tmp/mine', 'x'); fs.writeFileSync('/dev/shm/mine', 'x');
assert.strictEqual(require('os').getPriority(1), 0);
""",
    "typescript": """
import * as assert from 'assert';
import * as fs from 'fs';
for (const folder of ['/tmp', '/dev/shm']) assert.deepStrictEqual(fs.readdirSync(folder), []);
assert.deepStrictEqual(fs.readdirSync('/project').sort(), ['program.js', 'program.ts']);
const numbers: string[] = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name));
assert.ok(!numbers.some((name) => fs.readFileSync(`/proc/${name}/cmdline`, 'latin1').includes('sleep')));
fs.writeFileSync('mine', 'x'); fs.writeFileSync('/tmp/mine', 'x'); fs.writeFileSync('/dev/shm/mine', 'x');
assert.strictEqual(require('os').getPriority(1), 0);
""",
    "java": """
import java.nio.file.*;
import java.util.*;
public class P {
    static List<String> in(String folder) throws Exception {
        try (var found = Files.list(Path.of(folder))) { return found.map(one -> one.getFileName().toString()).filter(one -> !one.startsWith("hsperfdata") && !one.equals("out")).sorted().toList(); }
    }
    public static void main(String[] a) throws Exception {
        assert in("/tmp").isEmpty() : in("/tmp");
        assert in("/dev/shm").isEmpty() : in("/dev/shm");
        assert in("/project").equals(List.of("P.java")) : in("/project");
        for (String folder : List.of("/project", "/tmp", "/dev/shm")) Files.delete(Files.createFile(Path.of(folder, "mine")));
        assert ProcessHandle.allProcesses().noneMatch(one -> one.info().command().orElse("").contains("sleep"));
    }
}
""",
    "cpp": """
#include <cassert>
#include <cstdio>
#include <dirent.h>
#include <iostream>
#include <set>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
std::set<std::string> in(const char *folder) {
    std::set<std::string> found;
    DIR *open = opendir(folder);
    while (dirent *one = readdir(open)) if (one->d_name[0] != '.' || one->d_name[1] > '.') found.insert(one->d_name);
    closedir(open);
    return found;
}
int main() {
    assert(in("/dev/shm").empty());
    assert((in("/tmp") == std::set<std::string>{"program"}));
    assert((in("/project") == std::set<std::string>{"program.cpp"}));
    for (const char *file : {"/project/mine", "/tmp/mine", "/dev/shm/mine"}) { FILE *made = fopen(file, "w"); assert(made); fclose(made); }
    assert(getpriority(PRIO_PROCESS, 1) == 0);
    rlimit open; getrlimit(RLIMIT_NOFILE, &open); assert(open.rlim_cur > 100);
    std::cout << "undisturbed" << std::endl;
}
""",
}
