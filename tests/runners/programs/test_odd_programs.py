"""Programs that nobody foresaw: names too long, trees too deep, the names of what runs beside them. None is the machine's fault."""

import errno

import pytest
import pytest_asyncio

from runners.errors import SandboxFailed
from runners.programs import Cold, Program
from runners.programs.program import java_file, main_class, returns_early
from runners.protocol import Completed
from runners.sandboxes import pick
from runners.temporary import temporary_folder
from runners.warm import warm
from tests.support.fakes.sandbox import FakeSandbox
from tests.support.scale import sampled

TIMEOUT_S = 90.0
JAVA = "public class P {{ public static void main(String[] a) {{ {} }} }}"
NAMED = "public class {} {{ public static void main(String[] a) {{ }} }}"
SUM = " + ".join(["2"] * 2000)


def nested(begin, end, times=1000, core=""):
    return begin * times + core + end * times


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def both(fresh_programs, cache):
    """Return a function that gives the results of a program, in a fresh sandbox and in a warm worker."""
    workers = await warm(pick(), cache, lambda _: None, workers=1)

    async def run(language, text, written=None):
        program = Program(language, text, written=written or (1, text.count("\n") + 1))
        return [await one.run(program, timeout_s=TIMEOUT_S) for one in (fresh_programs, workers)]

    yield run
    await workers.close()


DEEP = {
    "python": [
        ("passed", f"s = {SUM}"),
        ("passed", f"import sys\ns = {' + '.join(['2'] * 2980)}\nif True:\n    sys.exit(0)"),
        ("syntax", f"s = {nested('[', ']')}"),
        ("indentation", "".join(f"{' ' * depth}if True:\n" for depth in range(1000)) + " " * 1000 + "pass"),
    ],
    "javascript": [
        ("passed", f"const s = {SUM};"),
        ("passed", f"const s = {nested('[', ']')};"),
        ("passed", nested("if (true) {", "}")),
    ],
    "typescript": [("compile", f"const s = {nested('[', ']')};")],
    "java": [
        ("passed", JAVA.format(f"int s = {SUM};")),
        ("passed", JAVA.format(f"int s = {nested('(', ')', core='1')};")),
        ("passed", JAVA.format(nested("if (true) {", "}"))),
    ],
    "cpp": [
        ("passed", f"int main() {{ int s = 0 + {SUM}; return s - 4000; }}"),
        ("passed", f"int main() {{ return {nested('(', ')', core='0')}; }}"),
        ("passed", f"int main() {{ {nested('if (true) {', '}')} }}"),
    ],
}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("language", "case"),
    sampled(
        [
            pytest.param(language, case, id=f"{language}-{number}")
            for language, cases in DEEP.items()
            for number, case in enumerate(cases)
        ]
    ),
)
@pytest.mark.asyncio(loop_scope="session")
async def test_what_nests_deeply_has_the_class_that_its_compiler_gives_it(language, case, both, need_for):
    need_for(language)
    verdict_class, text = case
    results = await both(language, text)
    assert [result.verdict_class for result in results] == [verdict_class, verdict_class], results


@pytest.mark.parametrize("language", ["cpp", "java"])
def test_a_return_is_found_however_deep_it_lies(language):
    head = "int main()" if language == "cpp" else "class P { public static void main(String[] a)"
    deep = f"{head} {{\n{nested('{', '}', 5000, core='return;')}\nint x = 1;\n}}"
    assert returns_early(language, deep, (2, 2)) == 2
    assert returns_early(language, deep.replace("return;", SUM), (2, 2)) == 0


def test_the_first_return_counts_and_those_of_inner_functions_do_not():
    text = "int main() {\n  auto f = [] {\n    return 0; };\n  if (f()) {\n    return 0; }\n  return 0;\n  f();\n}"
    assert returns_early("cpp", text, (2, 6)) == 5


# The class, and a Java program whose names are odd.
NAMES = [
    ("passed", NAMED.format("A" * 249)),
    ("compile", NAMED.format("A" * 300)),
    ("compile", NAMED.format("é" * 150)),
    ("compile", NAMED.format("A\ud800B")),
    ("compile", f"package {'a' * 200_000};\n{NAMED.format('P')}"),
    ("passed", f"package {'.'.join('a' * 1200)};\n{NAMED.format('P')}"),
    ("passed", f"package a . /* ; exit 7 */\nb ;\n{NAMED.format('A$HOME')}"),
    ("passed", "class Drive { static void main(String a) { } }\n" + JAVA.format("new Drive();")),
]


@pytest.mark.sampled
@pytest.mark.parametrize("case", sampled([pytest.param(case, id=str(number)) for number, case in enumerate(NAMES)]))
@pytest.mark.asyncio(loop_scope="session")
async def test_a_java_program_may_be_called_anything(case, both, need_for):
    need_for("java")
    verdict_class, text = case
    results = await both("java", text)
    assert [result.verdict_class for result in results] == [verdict_class, verdict_class], results


def test_a_name_that_no_file_can_have_is_not_given_to_one():
    assert java_file(NAMED.format("é" * 124)) == f"{'é' * 124}.java"
    assert java_file(NAMED.format("é" * 125)) == "Main.java"
    assert main_class(f"package a.b /* c */ . d;\n{NAMED.format('P')}") == "a.b.d.P"


# Programs that have what the drivers, and what is about them, have.
MODULES = """
for name in ("drive", "supervisor", "hiding", "preloaded", "selecting", "csv"):
    open(name + ".py", "w").write("x = 1")
import supervisor, csv, drive, hiding, preloaded, selecting
assert supervisor.x == csv.x == drive.x == hiding.x == preloaded.x == selecting.x == 1
"""
GLOBALS = """
const nonce = 1, main = 2, left = 3;
var say = 4, reached = 5;
function replace() { throw new Error(); }
Object.assign(globalThis, { nonce, main, left, say, reached, replace });
"""
VARIABLES = """
#include <cstdio>
int write = 1, dup = 2, fcntl[3], getpid, getenv, unsetenv;
int main() { puts("end"); }
"""
FUNCTIONS = """
int write(int a) { return a; }
void say(const char *) { throw 1; }
void leave() { throw 2; }
int self, errors, returned;
char *nonce;
int main() { return write(0); }
"""
COUNTED = """
#include <cstdlib>
#include <new>
int made;
void *operator new(std::size_t size) { made++; return std::malloc(size); }
void operator delete(void *place) noexcept { std::free(place); }
struct Last { ~Last() { if (made) std::_Exit(3); } } last;
int main() { return made; }
"""
SAME_NAMES = {
    "python": ["def _say(word): raise ValueError\n_NONCE = _ERRORS = _PATH = _main = _code = None", MODULES],
    "javascript": [GLOBALS],
    "cpp": [VARIABLES, FUNCTIONS, COUNTED],
}


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in SAME_NAMES.items() for text in texts]
)
@pytest.mark.asyncio(loop_scope="session")
async def test_a_program_may_use_the_names_of_its_driver(language, text, both, need_for):
    need_for(language)
    results = await both(language, text)
    assert [result.verdict_class for result in results] == ["passed", "passed"], results


@pytest.fixture
def fresh(cache):
    """Return a function that gives what runs programs in a sandbox that is not one."""
    made = []

    def of(run):
        made.append(Cold(FakeSandbox(run), cache, lambda _: None, temporary_folder()))
        return made[-1]

    yield of
    for one in made:
        one.workspace.close()


@pytest.mark.parametrize(
    ("language", "error", "judged"),
    [
        ("java", OSError(errno.ENAMETOOLONG, "too long"), ("failed", 1)),
        ("java", OSError(errno.EILSEQ, "not in these letters"), ("failed", 1)),
        ("java", OSError(errno.ENOSPC, "no room"), ("infrastructure", 2)),
        ("java", OSError(errno.EMFILE, "too many open files"), ("infrastructure", 2)),
        ("java", SandboxFailed("gone"), ("infrastructure", 2)),
        ("cpp", OSError(errno.ENAMETOOLONG, "too long"), ("infrastructure", 1)),  # its file is called as all of them
    ],
)
async def test_only_a_program_that_names_its_file_is_blamed_for_the_name(language, error, judged, fresh, need_for):
    need_for(language)
    tries = []

    def fail(job):
        tries.append(job)
        raise error

    result = await fresh(fail).run(Program(language, NAMED.format("P")), timeout_s=TIMEOUT_S)
    assert (result.verdict_class, len(tries)) == judged
    assert str(error) in result.message


async def test_a_program_that_signs_with_an_endless_line_number_has_a_verdict(fresh, need_for):
    need_for("cpp")

    def forge(job):
        return Completed(0, None, "", f"\n{(job.project / '.witness').read_text().strip()} exit {'9' * 5000}\n", 1.0)

    result = await fresh(forge).run(Program("cpp", "", written=(1, 1)), timeout_s=TIMEOUT_S)
    assert result.verdict_class == "failed"
