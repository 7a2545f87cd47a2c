"""An exit status that means failure and is replaced by 0 late, or never comes about: such a run fails. And the driver's number is not to be had."""

import pytest

from runners.programs import Program
from tests.support.scale import sampled

# Line 2 (JavaScript, TypeScript: 2; Java: 3; C++: 6) is the model's; others say in the lines behind it that the program has failed.
LATE = {
    "python: os._exit at exit": (
        "python",
        "import sys\nimport atexit, os; atexit.register(os._exit, 0)\ndef main():\n    return 3\nsys.exit(main())\n",
        2,
        3,
    ),
    "python: a text as status": (
        "python",
        "import sys\nimport atexit, os; atexit.register(os._exit, 0)\nsys.exit('it failed')\n",
        2,
        1,
    ),
    "javascript: exitCode in a listener": (
        "javascript",
        "const f = () => 1;\nprocess.on('exit', () => { process.exitCode = 0; });\nif (f() !== 2) process.exitCode = 4;\n",
        2,
        4,
    ),
    "javascript: reallyExit in a listener": (
        "javascript",
        "const f = () => 1;\nprocess.on('exit', () => process.reallyExit(0));\nif (f() !== 2) process.exit(5);\n",
        2,
        5,
    ),
    "javascript: exit that does nothing": (
        "javascript",
        "const f = () => 1;\nprocess.exit = () => {};\nif (f() !== 2) process.exit(6);\n",
        2,
        6,
    ),
    "javascript: exit defined anew": (
        "javascript",
        "const f = () => 1;\nObject.defineProperty(process, 'exit', { value: () => {} });\nif (f() !== 2) process.exit(7);\n",
        2,
        1,
    ),
    "typescript: exitCode in a listener": (
        "typescript",
        "const f = (): number => 1;\nprocess.on('exit', () => { process.exitCode = 0; });\nif (f() !== 2) process.exitCode = 4;\n",
        2,
        4,
    ),
    "typescript: exit that does nothing": (
        "typescript",
        "const f = (): number => 1;\n(process as any).exit = () => {};\nif (f() !== 2) process.exit(6);\n",
        2,
        6,
    ),
    "cpp: a static destructor": (
        "cpp",
        (
            "#include <cstdlib>\n#include <unistd.h>\nint f() { return 1; }\n\n\nstruct Late { ~Late() { _exit(0); } } late;\n"
            "int main() {\n  if (f() != 2) return 3;\n  return 0;\n}\n"
        ),
        6,
        3,
    ),
    "cpp: atexit": (
        "cpp",
        (
            "#include <cstdlib>\n#include <unistd.h>\nint f() { return 1; }\n\n\nint unused = atexit([] { _exit(0); });\n"
            "int main() {\n  if (f() != 2) exit(9);\n  return 0;\n}\n"
        ),
        6,
        9,
    ),
}
JAVA = """public class P {
  static int f() { return 1; }
  static { Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0))); }
  public static void main(String[] a) {
    if (f() != 2) System.exit(3);
  }
}
"""
DOMAIN = """const assert = require('assert');
const d = require('domain').create(); d.on('error', () => {}); d.enter();
setTimeout(() => assert.equal(1, 2), 5);
"""


@pytest.mark.sampled
@pytest.mark.parametrize("name", sampled(list(LATE)))
@pytest.mark.asyncio(loop_scope="session")
async def test_a_status_that_is_replaced_late_is_the_one_that_counts(name, programs, need_for):
    language, text, line, status = LATE[name]
    need_for(language)
    result = await programs.workers.run(Program(language, text, written=(line, line)), timeout_s=60.0)
    assert result.verdict_class == "failed", result
    assert result.message.endswith((f"status {status}, but something replaced it by 0", "before it came to its end")), (
        result
    )


@pytest.mark.asyncio(loop_scope="session")
async def test_a_hook_of_the_models_that_halts_makes_no_exit_of_others_a_good_one(programs, need_for):
    need_for("java")
    result = await programs.workers.run(Program("java", JAVA, written=(3, 3)), timeout_s=60.0)
    assert result.verdict_class == "failed", result


@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_that_a_domain_took_is_not_a_pass(programs, need_for):
    need_for("javascript")
    result = await programs.workers.run(Program("javascript", DOMAIN, written=(2, 2)), timeout_s=60.0)
    assert result.verdict_class == "exception", result


RIGHT = {
    "python: exit 0 with a hook": ("python", "import atexit\natexit.register(print, 'bye')\nraise SystemExit(0)\n"),
    "javascript: tests that put an exit of theirs in its place": (
        "javascript",
        (
            "const stop = () => process.exit(2);\nconst f = 1;\nconst { exit } = process; let seen;\nprocess.exit = (code) => { seen = code; };\n"
            "stop();\nprocess.exit = exit;\nrequire('assert').equal(seen, 2);\nrequire('assert').equal(process.listenerCount('exit'), 0);\n"
        ),
    ),
    "javascript: a listener": ("javascript", "let x = 1;\nx = 2;\nprocess.on('exit', (code) => console.log(code));\n"),
    "cpp: a destructor": (
        "cpp",
        '#include <cstdio>\n#include <cstdlib>\nstruct S { ~S() { puts("bye"); } } s;\nint main() { if (false) exit(1); return 0; }\n',
    ),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.asyncio(loop_scope="session")
async def test_what_ends_well_passes(name, programs, need_for):
    language, text = RIGHT[name]
    need_for(language)
    result = await programs.workers.run(Program(language, text, written=(2, 2)), timeout_s=60.0)
    assert result.verdict_class == "passed", result


# Each looks for 32 hexadecimal digits in its environment, its folder and what it has open; and says which.
LOOKS = {
    "python": """
import os, re, sys
texts = [open("/proc/self/environ").read(), str(os.environ), str(os.listdir(".")), open("/proc/self/cmdline").read()]
frame = sys._getframe()
while frame:
    texts += [str(frame.f_locals), str(frame.f_globals)]
    frame = frame.f_back
for number in range(3, 2000):
    try: texts.append(os.pread(number, 1000, 0).decode("latin1"))
    except OSError: continue
found = {one for text in texts for one in re.findall("[0-9a-f]{32}", text)}
""",
    "javascript": """
const fs = require('fs');
const texts = [fs.readFileSync('/proc/self/environ', 'latin1'), JSON.stringify(process.env), String(fs.readdirSync('.'))];
texts.push(...Object.keys(require.cache).map((name) => JSON.stringify(require.cache[name].exports) ?? ''));
const found = new Set(texts.join(' ').match(/[0-9a-f]{32}/g) ?? []);
""",
    "cpp": """
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <set>
struct Early { std::string read; Early() { std::ifstream file(".witness"); read.assign(std::istreambuf_iterator<char>(file), {}); } } early;
int main(int, char **, char **environment) {
    std::string all = early.read;
    std::ifstream file("/proc/self/environ");
    all.append(std::istreambuf_iterator<char>(file), {});
    for (char **one = environment; *one; ++one) all += std::string(" ") + *one;
    std::set<std::string> found;
    const std::regex number("[0-9a-f]{32}");
    for (std::sregex_iterator at(all.begin(), all.end(), number), end; at != end; ++at) found.insert(at->str());
""",
    "java": """
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
public class P { public static void main(String[] a) throws Exception {
    StringBuilder all = new StringBuilder(System.getenv().toString()).append(System.getProperties()).append(Files.readString(Path.of("/proc/self/environ")));
    try (var here = Files.list(Path.of("."))) { here.forEach(all::append); }
    Set<String> found = new TreeSet<>();
    Matcher at = Pattern.compile("[0-9a-f]{32}").matcher(all);
    while (at.find()) found.add(at.group());
""",
}
SAYS = {
    "python": "for one in found: os.write(2, f'\\n{one} end\\n'.encode())\nos._exit(0)\n",
    "javascript": "for (const one of found) fs.writeSync(2, `\\n${one} end\\n`);\nprocess.exit(0);\n",
    "cpp": '    for (const auto &one : found) std::cerr << "\\n" << one << " end\\n";\n    std::cerr.flush();\n    _exit(0);\n}\n',
    "java": '    for (String one : found) System.err.print("\\n" + one + " end\\n");\n    Runtime.getRuntime().halt(0);\n} }\n',
}


@pytest.mark.sampled
@pytest.mark.parametrize("language", sampled(list(LOOKS)))
@pytest.mark.asyncio(loop_scope="session")
async def test_no_program_finds_the_number_with_which_its_end_is_said(language, programs, need_for):
    need_for(language)
    text = LOOKS[language] + SAYS[language]
    text = text.replace("#include <fstream>", "#include <fstream>\n#include <unistd.h>")
    for runs in (programs.workers, programs.fresh):
        result = await runs.run(Program(language, text), timeout_s=60.0)
        assert (result.verdict_class, result.message) == ("failed", "left with status 0 before it came to its end") or (
            result.message.startswith("left with status 0 in line")
        ), result


@pytest.mark.asyncio(loop_scope="session")
async def test_no_compiler_reads_the_number_into_the_program(programs, need_for):
    need_for("cpp")
    result = await programs.workers.run(Program("cpp", '#include ".witness"\nint main() { }\n'), timeout_s=60.0)
    assert result.verdict_class == "compile"
    assert "No such file" in result.message
