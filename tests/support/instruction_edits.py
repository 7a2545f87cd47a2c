"""Edits that undo an instruction, as replacements in the text: they know nothing of the rules, of trees or of finders."""

import re
from collections.abc import Iterator

_END = r"\Z"
_CLASS_END = r"\}\s*\Z"
"""The last brace of a Java file, before which members are added."""


def _member(text: str) -> tuple[str, str]:
    return _CLASS_END, f"\n{text}\n}}\n"


UNDOING: dict[str, dict[str, list[tuple[str, str]]]] = {
    "add-comments": {
        "python": [(r"(?m)^ *#.*\n", "")],
        "java": [(r"(?m)^ *//.*\n", "")],
        "javascript": [(r"(?m)^ *//.*\n", "")],
    },
    "add-type-hints": {"python": [(r" -> [^:]+:", ":"), (r"(\w+): (?:int|str|list|List\[int\])(?=[,)])", r"\1")]},
    "concise-variable-names": {
        "python": [(r"\b(total|counts)\b", r"the_current_\1_of_the_words_and_numbers")],
        "java": [(r"\b(total|count)\b", r"the\1OfAllTheWordsAndNumbers")],
        "javascript": [(r"\b(total|count)\b", r"the\1OfAllTheWordsAndNumbers")],
    },
    "consistent-naming-convention": {
        "python": [(r"\brunning_total\b", "runningTotal"), (r"\bbest_word\b", "bestWord")],
        "java": [(r"\b(total|count)\b", r"the_\1")],
        "javascript": [(r"\b(total|count)\b", r"the_\1")],
    },
    "move-imports-to-top": {
        "python": [(_END, "\n\nimport os\n\nprint(os.sep)\n"), (r"(?s)^(.*?)(def \w+.*?:\n)", r"\1\2    import os\n")],
        "java": [(r"(?<=    )List<Integer> ", "java.util.List<Integer> "), _member("    java.util.Scanner scanner;")],
        "javascript": [(r"(?m)^(function .*\{)$", r'\1\n    const os = require("os");')],
    },
    "remove-unused-imports": {
        "python": [(r"\A", "import os\n"), (r"\A", "from json import dumps\n")],
        "java": [(r"\A", "import java.util.TreeMap;\n"), (r"\A", "import java.util.Random;\n")],
        "javascript": [(r"\A", 'const os = require("os");\n'), (r"\A", 'import path from "path";\n')],
    },
    "remove-redundant-code-and-comments": {
        "python": [
            (r"(?m)^(    return (\w+))$", r"    spare = 1\n\1"),
            (r"(?m)^(    return .*)$", r"    # total = 0\n\1"),
        ],
        "java": [
            (r"(?m)^( *)(return \w+;)$", r"\1int spare = 1;\n\1\2"),
            (r"(?m)^( *)(return \w+;)$", r"\1// int spare = 1;\n\1\2"),
        ],
        "javascript": [
            (r"(?m)^( *)(return \w+;)$", r"\1const spare = 1;\n\1\2"),
            (r"(?m)^( *)(return)", r"\1// go(1);\n\1\2"),
        ],
    },
    "remove-commented-out-code": {
        "python": [(r"(?m)^( *)(total|best_word|counts)(.*)$", r"\1# \2\3\n\1\2\3"), (_END, "\n# print(total)\n")],
        "java": [(r"(?m)^( *)(int .*;)$", r"\1// \2\n\1\2"), (_END, "// class Old { }\n")],
        "javascript": [(r"(?m)^( *)(const .*;)$", r"\1// \2\n\1\2"), (_END, "// console.log(total);\n")],
    },
    "use-lowercase-variable-names": {
        "python": [(r"\b(total|counts)\b", "Words")],
        "java": [(r"\b(total|count)\b", "Number")],
        "javascript": [(r"\b(total|count)\b", "Number1")],
    },
    "use-descriptive-names": {
        "python": [(r"\b(total|counts)\b", "t"), (r"\b(values|words)\b", "x")],
        "java": [(r"\b(total|count)\b", "t"), (r"\b(values|word)\b", "x")],
        "javascript": [(r"\b(total|count)\b", "t"), (r"\b(values|word)\b", "x")],
    },
    "add-docstrings": {
        "python": [(r'(?m)^    """.*"""\n', "")],
        "java": [(r"(?m)^    /\*\* .*\n", "")],
        "javascript": [(r"(?m)^/\*\* .*\n", "")],
    },
    "use-snake-case": {"python": [(r"\brunning_total\b", "runningTotal"), (r"\b(best_word|total)\b", "theWord")]},
    "use-camel-case": {
        "java": [(r"\b(total|count)\b", r"the_\1"), (r"\b(runningTotal|countOf)\b", "do_it")],
        "javascript": [(r"\b(total|count)\b", r"the_\1"), (r"\b(runningTotal|countOf)\b", "do_it")],
    },
    "capitalize-class-names": {
        "python": [(_END, "\n\nclass inner_part:\n    pass\n")],
        "java": [(r"\b(Numbers|Words)\b", "container"), (_END, "class other_part { }\n")],
        "javascript": [(_END, "class other { }\n")],
    },
    "capitalize-constants": {
        "python": [(_END, "\nlimit = 7\n"), (r"\bLIMIT\b", "limit")],
        "java": [(r"\bLIMIT\b", "limit"), _member("    static final int most = 3;")],
        "javascript": [(r"\bLIMIT\b", "limit"), (_END, "const most = 3;\n")],
    },
    "limit-line-length": {
        "python": [(_END, "# " + "long " * 20 + "\n")],
        "java": [(_END, "// " + "long " * 20 + "\n")],
        "javascript": [(_END, "// " + "long " * 20 + "\n")],
    },
    "remove-trailing-whitespace": {
        "python": [(r"(?m)(return.*)$", r"\1  "), (r"\n\n", "\n \n")],
        "java": [(r"(?m)(return.*)$", r"\1  "), (r"\n\n", "\n \n")],
        "javascript": [(r"(?m)(return.*)$", r"\1  "), (r"\n\n", "\n\t\n")],
    },
    "indent-with-spaces": {
        "python": [(r"(?m)^ {4}", "\t")],
        "java": [(r"(?m)^ {4}", "\t")],
        "javascript": [(r"(?m)^ {4}", "\t")],
    },
    "one-statement-per-line": {
        "python": [(_END, "\nLIMIT = 7; MOST = 8\n"), (r"(?m)(    if .*:)\n +", r"\1 ")],
        "java": [(r";\n +return", "; return")],
        "javascript": [(r";\n +return", "; return")],
    },
    "use-double-quotes": {
        "python": [(_END, "\nNAME = 'one'\n"), (r'(?<!")"(\w+)"(?!")', r"'\1'")],
        "javascript": [(r'"(\w+)"', r"'\1'"), (_END, "go('one');\n")],
    },
    "add-semicolons": {"javascript": [(r"(?m)(return \w+);$", r"\1"), (r"(?m)^( *const .*);$", r"\1")]},
    "always-use-braces": {
        "java": [(r"if (\(.*\)) \{\s*([^{};]*;)\s*\}", r"if \1 \2")],
        "javascript": [(r"if (\(.*\)) \{\s*([^{};]*;)\s*\}", r"if \1 \2"), (_END, "while (busy()) wait();\n")],
    },
    "avoid-trailing-comments": {
        "python": [(r"(?m)(    return.*)$", r"\1  # done")],
        "java": [(r"(?m)(return.*)$", r"\1 // done")],
        "javascript": [(r"(?m)(return.*)$", r"\1 /* done */")],
    },
    "separate-functions": {
        "python": [(r"\n\n\ndef", "\ndef"), (r"\n\n\ndef", "\n\ndef")],
        "java": [(r"\n\n +/\*\* [ARKS]", "\n    /** S")],
        "javascript": [(r"\n\n/\*\* ", "\n/** ")],
    },
    "remove-debug-output": {
        "python": [(r"(?m)^(    return)", r"    print('here')\n\1")],
        "java": [(r"(?m)^( *)(return \w+;)", r"\1System.out.println(1);\n\1\2")],
        "javascript": [(r"(?m)^( *)(return)", r"\1console.log(1);\n\1\2")],
    },
    "use-ascii-only": {
        "python": [(_END, "# naïve\n")],
        "java": [(_END, "// naïve\n")],
        "javascript": [(_END, "// naïve\n")],
    },
    "use-symbolic-constants": {
        "python": [(r"< LIMIT", "< 7"), (r"(?m)^    return (\w+)$", r"    return 31 * \1")],
        "java": [(r"< LIMIT", "< 7"), (r"return (total|count);", r"return 31 * \1;")],
        "javascript": [(r"< LIMIT", "< 7"), (r"return (total|count);", r"return 31 * \1;")],
    },
    "add-intermediate-variable": {
        "python": [(r"(?m)^    return (\w+)$", r"    return int(abs(float(\1)))")],
        "java": [(r"return (total|count);", r"return one(two(three(\1)));")],
        "javascript": [(r"return (total|count);", r"return one(two(three(\1)));")],
    },
    "add-missing-import": {
        "python": [(r"import math\n", ""), (r"from collections import Counter\n", "")],
        "java": [(r"import java.util.(List|Map);\n", "")],
        "javascript": [(r"const \w+ = require.*\n", "")],
    },
    "avoid-code-duplication": {
        "python": [
            (r"(?m)^    total = 0\n", "    total = sum(range(len(values)))\n    print(total, values, LIMIT)\n" * 2)
        ],
        "java": [
            (r"(?m)^( *)(return \w+;)", 'log.info("what was found", 1);\nlog.info("what was lost", 2);\n' * 2 + r"\2")
        ],
        "javascript": [
            (r"(?m)^( *)(return)", 'log.info("what was found", 1);\nlog.info("what was lost", 2);\n' * 2 + r"\2")
        ],
    },
    "avoid-global-variables": {
        "python": [(r"(?s)(def \w+.*?\n    return) (\w+)", r"calls = [0]\n\n\n\1 calls, \2")],
        "java": [(r"static final int LIMIT", "static int limit"), _member("    static int calls = 0;")],
        "javascript": [(r"(?s)(/\*\*.*?\n    return) (\w+)", r"let calls = 0;\n\n\1 calls + \2")],
    },
    "avoid-nested-functions": {
        "python": [(r"(?m)^    return", "    def inner():\n        pass\n    return")],
        "javascript": [(r"(?m)^    return", "    function inner() { }\n    return")],
    },
    "modularize-code": {
        "python": [(r"(?m)^    return", "    go()\n" * 12 + "    return"), (_END, "go()\n" * 8)],
        "java": [(r"(?m)^ *return (\w+);", "go();\n" * 12 + r"return \1;")],
        "javascript": [(r"(?m)^    return", "    go();\n" * 12 + "    return"), (_END, "go();\n" * 8)],
    },
    "shorten-if-else-chains": {
        "python": [
            (
                r"(?m)^    return (\w+)$",
                "    if a:\n        go()\n" + "    elif b:\n        go()\n" * 3 + r"    return \1",
            )
        ],
        "java": [(r"(?m)^ *return (\w+);", "if (a) { go(); }" + " else if (b) { go(); }" * 3 + r" return \1;")],
        "javascript": [(r"(?m)^    return", "if (a) { go(); }" + " else if (b) { go(); }" * 3 + " return")],
    },
    "remove-else-after-return": {
        "python": [(r"(?m)^    return (\w+)$", r"    if go():\n        return 0\n    else:\n        return \1")],
        "java": [(r"return (total|count|kept);", r"if (go()) { return 0; } else { return \1; }")],
        "javascript": [(r"return (\w+);", r"if (go()) { return 0; } else { return \1; }")],
    },
    "limit-nesting-depth": {
        "python": [
            (
                r"(?m)^    return (\w+)$",
                r"    if a:\n        if b:\n            if c:\n                if d:\n                    go()\n    return \1",
            )
        ],
        "java": [(r"return (total|count|kept);", r"if (a) { if (b) { if (c) { if (d) { go(); } } } } return \1;")],
        "javascript": [(r"return (\w+);", r"if (a) { if (b) { if (c) { if (d) { go(); } } } } return \1;")],
    },
    "limit-parameters": {
        "python": [(r"(def \w+\()", r"\1a, b, c, d, ")],
        "java": [(r"(\w+\()(List|String)", r"\1int a, int b, int c, int d, \2")],
        "javascript": [(r"(function \w+\()", r"\1a, b, c, d, ")],
    },
    "avoid-ternary": {
        "python": [(r"(?m)^    return (\w+)$", r"    return \1 if go() else 0")],
        "java": [(r"return (total|count|kept);", r"return go() ? \1 : null;")],
        "javascript": [(r"return (\w+);", r"return go() ? \1 : 0;")],
    },
    "return-conditions-directly": {
        "python": [(_END, "\n\ndef is_small(size):\n    if size < 1:\n        return True\n    return False\n")],
        "java": [_member("    boolean small(int size) { if (size < 1) { return true; } else { return false; } }")],
        "javascript": [(_END, "function small(size) { if (size < 1) { return true; } return false; }\n")],
    },
    "use-augmented-assignment": {
        "python": [(r"(\w+) \+= (\w+)", r"\1 = \1 + \2")],
        "java": [(r"(\w+) \+= (\w+)", r"\1 = \1 + \2")],
        "javascript": [(r"(\w+) \+= (\w+)", r"\1 = \1 + \2")],
    },
    "avoid-recursion": {
        "python": [(_END, "\n\ndef again(left):\n    return left and again(left - 1)\n")],
        "java": [_member("    int again(int left) { return left == 0 ? 0 : again(left - 1); }")],
        "javascript": [(_END, "function again(left) { return left && again(left - 1); }\n")],
    },
    "avoid-nested-loops": {
        "python": [
            (
                r"(?m)^(    for value in values:\n)",
                r"    for other in values:\n        go(other)\n    for one in values:\n        for two in values:\n            go(one, two)\n\1",
            )
        ],
        "java": [_member("    void pairs() { for (int a : b) { while (c()) { go(); } } }")],
        "javascript": [(_END, "for (const a of b) { for (const c of a) { go(c); } }\n")],
    },
    "avoid-floating-point-operations": {
        "python": [(r"math\.isqrt", "math.sqrt"), (_END, "\nHALF = 0.5\n")],
        "java": [_member("    double half = 0.5;"), (r"return total;", "return (int) (total * 1.5);")],
        "javascript": [(_END, "go(1 / 3);\n"), (r"return (total|count);", r"return \1 * 1.5;")],
    },
    "avoid-string-concatenation-in-loops": {
        "python": [(_END, '\nline = ""\nfor part in parts:\n    line += part\n')],
        "java": [
            _member(
                '    String all() {\n        String line = "";\n        for (String part : parts) { line += part; }\n        return line;\n    }'
            )
        ],
        "javascript": [(_END, 'let line = "";\nfor (const part of parts) { line += part; }\n')],
    },
    "use-let-and-const": {"javascript": [(r"\b(let|const) ", "var ")]},
    "use-strict-equality": {"javascript": [(r"===", "=="), (_END, "if (a != b) { go(); }\n")]},
    "use-template-literals": {"javascript": [(r"`no word: \$\{word\}`", '"no word: " + word')]},
    "use-f-strings": {"python": [(r'f"no word occurs \{least\} times"', '"no word occurs %s times" % least')]},
    "use-context-manager": {"python": [(r"with open\((.*)\) as file:\n +return", r"file = open(\1)\n        return")]},
    "specify-encoding": {"python": [(r', encoding="utf-8"', "")]},
    "use-async-await": {"javascript": [(r'await (.*"utf8"\))', r"\1.then(text => text)")]},
    "compare-with-is-none": {"python": [(r"is None", "== None")]},
    "handle-errors": {
        "python": [(r"raise ValueError\(path\) from error", "pass")],
        "java": [(r"(?s)(catch \(\w+ \w+\)) \{.*?\}", r"\1 { }")],
        "javascript": [(r"(?s)(catch \(\w+\)) \{.*?\}", r"\1 { }")],
    },
    "catch-specific-errors": {
        "python": [(r"except OSError as error", "except Exception as error")],
        "java": [(r"catch \(IOException", "catch (Exception")],
    },
    "raise-on-invalid-input": {
        "python": [(r"(?m)^( +)raise .*$", r"\1pass")],
        "java": [(r"throw new \w+\(.*\);", "go();")],
        "javascript": [(r"throw new \w+\(.*\);", "go();")],
    },
    "avoid-eval": {"python": [(_END, "\neval('1')\n")], "javascript": [(_END, "eval('1');\n")]},
    "use-equals-for-strings": {"java": [(r'word\.equals\("none"\)', 'word == "none"')]},
    "use-interface-types": {"java": [(r"(?<= {8})List<Integer>", "ArrayList<Integer>")]},
    "use-diamond-operator": {"java": [(r"new ArrayList<>", "new ArrayList<Integer>")]},
    "use-private-fields": {"java": [(r"private final Map", "public final Map"), _member("    int open;")]},
    "avoid-wildcard-imports": {
        "python": [(r"from (\w+) import \w+", r"from \1 import *")],
        "java": [(r"import java\.util\.\w+;", "import java.util.*;")],
    },
    "add-test-cases": {"javascript": [(r"assert\.strictEqual", "compare")]},
    "avoid-mutable-defaults": {"python": [(r"least: int = 1", "least: list = []")]},
    "use-one-return": {
        "java": [(r"(return total;)", r"if (total < 1) { return 0; } \1")],
        "javascript": [(r"(return (total|count);)", r"if (go()) { return 0; } \1")],
    },
    "avoid-break-and-continue": {
        "python": [(r"(?m)^            total", "            if value == 1:\n                break\n            total")],
        "java": [(r"(total|kept)(.*);\n +\}", r"\1\2; continue; }")],
        "javascript": [(r"total \+= value;", "total += value; break;")],
    },
    "remove-unused-function": {
        "python": [(_END, "\n\ndef _unused():\n    return 1\n")],
        "java": [_member("    private int unused() { return 1; }")],
        "javascript": [(r"(?m)^(    return)", r"    const unused = () => 1;\n\1")],
    },
    "reduce-dictionary-operations": {
        "python": [(_END, "\nif one in NAMES:\n    print(NAMES[one])\n")],
        "java": [(r"counts\.getOrDefault\(word, 0\)", "counts.containsKey(word) ? counts.get(word) : 0")],
        "javascript": [(r"counts\.get\(word\) \?\? 0", "counts.has(word) ? counts.get(word) : 0")],
    },
}


def undone(text: str, pattern: str, replacement: str) -> str:
    """The text with all matches replaced."""
    return re.sub(pattern, replacement, text)


def pairs(id_: str, language: str, programs: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each program that an edit changes, and what it becomes."""
    for pattern, replacement in UNDOING.get(id_, {}).get(language, ()):
        for program in programs:
            after = undone(program, pattern, replacement)
            if after != program:
                yield program, after
