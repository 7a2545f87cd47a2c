"""Which files are searched, which gaps are left out and why, and what is drawn."""

from corpora.mining.gap_selection import GapChoice, draw_evenly, find_gaps
from syntax.text import length

BODY = (
    "def {name}(rows):\n    found = []\n    for row in rows:\n        found.append(row * {number})\n    return found\n"
)
FILES = {
    "src/one.py": BODY.format(name="one", number=1) + "\n\n" + BODY.format(name="other", number=2),
    "src/two.js": "function two(rows) {\n  return rows.map(f).filter(g);\n}\n",
    "tests/test_one.py": BODY.format(name="test_one", number=3),
    "vendor/three.py": BODY.format(name="three", number=4),
    "src/broken.py": "def broken(:\n    f(1)\n",
    "package-lock.json": "{}",
    "README.md": "def four():\n",
}


def test_tests_vendored_and_broken_files_are_not_searched_and_said():
    found = find_gaps(FILES, GapChoice())
    assert found.files == ["src/one.py", "src/two.js"]
    assert found.skipped == {"tests": 1, "generated or vendored": 1, "does not parse": 1}
    assert {line.path for line in found.lines} == {"src/one.py", "src/two.js"}


def test_what_is_wanted_is_found_alone():
    def kinds(**more):
        return {(line.language, line.kind, line.category) for line in find_gaps(FILES, GapChoice(**more)).lines}

    assert kinds(languages=("javascript",)) == {
        ("javascript", "function-body", "infilling"),
        ("javascript", "function-body", "completion"),
    }
    assert kinds(kinds=("loop-body",), categories=("infilling",)) == {("python", "loop-body", "infilling")}


def test_only_files_of_chosen_paths_are_searched():
    def files(**more):
        return find_gaps(FILES, GapChoice(**more)).files

    assert files(paths=("src/one",)) == ["src/one.py"]
    assert files(excluded=("*.js",)) == ["src/one.py"]
    assert files(paths=("src/",), excluded=("src/one",)) == ["src/two.js"]


def test_long_and_repeated_gaps_are_counted_and_left_out():
    twice = {"a.py": BODY.format(name="f", number=1), "b.py": "# a copy\n" + BODY.format(name="f", number=1)}
    first, both = (find_gaps(files, GapChoice()) for files in ({"a.py": twice["a.py"]}, twice))
    assert both.stages["found"] == 2 * first.stages["found"]
    assert both.stages["duplicate"] == len(first.lines) == len(both.lines)
    short = find_gaps(twice, GapChoice(lines=2))
    assert all(line.lines[1] - line.lines[0] < 2 for line in short.lines)
    assert short.stages["long"] == 6  # the function's body twice, the rest of it once, in either file


def test_a_gap_without_which_the_file_does_not_parse_is_counted_and_left_out():
    text = "def f(a)\n  if g(<<~T) > a\n    1 2 3\n  T\n    h(a)\n  end\nend\n"
    found = find_gaps({"a.rb": text}, GapChoice(kinds=("if-condition", "if-body")))
    assert {line.kind for line in found.lines} == {"if-body"}
    assert (found.stages["found"], found.stages["unbuilt"]) == (3, 1)


RUST = """fn code(a: i32) -> i32 { g(a) + 1 }
#[cfg(not(test))]
fn also_code(a: i32) -> i32 { g(a) + 2 }
#[cfg(feature = "test")]
fn with_feature(a: i32) -> i32 { g(a) + 3 }
#[cfg_attr(test, inline)]
fn with_attribute(a: i32) -> i32 { g(a) + 4 }
#[cfg(test)]
#[allow(dead_code)]
// helpers
mod tests { fn help(a: i32) -> i32 { g(a) + 5 } #[test] fn checks() { h(6 + 1); } }
#[tokio::test]
async fn waits() { h(7 + 1); }
#[cfg(all(test, unix))]
impl A { fn helper(a: i32) -> i32 { g(a) + 8 } }
"""


def test_tests_inside_a_file_of_rust_are_no_gaps():
    found = find_gaps({"src/lib.rs": RUST}, GapChoice(kinds=("function-body",), categories=("infilling",)))
    assert [RUST[line.start : line.end] for line in found.lines] == [f"g(a) + {number}" for number in (1, 2, 3, 4)]
    assert found.stages["found"] == 4
    inside = "#![cfg(test)]\nfn help(a: i32) -> i32 { g(a) + 5 }\n"
    assert not find_gaps({"src/help.rs": inside}, GapChoice()).lines


def test_a_line_says_where_its_gap_is_in_utf16_and_by_lines():
    text = "# 😀\n" + BODY.format(name="f", number=1)
    line = next(line for line in find_gaps({"a.py": text}, GapChoice()).lines if line.kind == "loop-body")
    before = text[: text.index("found.append")]
    assert (line.start, line.end) == (length(before), length(before) + len("found.append(row * 1)"))
    assert (line.lines, line.function) == ((5, 5), "a.py:2")
    assert line.name == "infilling/a.py/5-5/loop-body"


def test_two_gaps_on_one_line_have_two_names():
    text = "if (a > 1) { f(1); } else { g(2); }\n"
    names = [line.name for line in find_gaps({"a.js": text}, GapChoice(kinds=("if-body",))).lines]
    assert len(set(names)) == len(names) == 4


def test_a_limit_takes_evenly_of_all_files_and_keeps_what_a_smaller_one_took():
    many = {
        f"f{number}.py": "\n\n".join(BODY.format(name=f"f{n}", number=n) for n in range(number + 1))
        for number in range(4)
    }
    lines = find_gaps(many, GapChoice()).lines
    drawn = {limit: [line.name for line in draw_evenly(lines, limit, 7)] for limit in (4, 9, 20, 10_000)}
    assert len(drawn[10_000]) == len(lines)
    assert {name.split("/")[1] for name in drawn[4]} == set(many)
    assert set(drawn[4]) < set(drawn[9]) < set(drawn[20])
    assert draw_evenly(lines, 9, 7) != draw_evenly(lines, 9, 8)
