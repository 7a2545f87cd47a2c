"""A folder of data in SimCopilot's form, with programs of the tests' own."""

import json
import subprocess

STAIRS = (
    "import os\n"
    "\n"
    "def stairs(height):\n"
    "\tfound = []\n"
    "\tfor step in range(height):\n"
    "\t\tfound.append(step * int(open('width.txt').read()))\n"
    "\t# the last stair is the landing\n"
    "\treturn found\n"
    "\n"
    "print('stairs')\n"
)
STAIRS_CASES = {
    "test_case1": "print(stairs(3))",
    "expected_output1": "stairs\\n[0, 7, 14]\\n",
    "test_case2": "print(stairs(0))\nprint(len(stairs(2)))",
    "expected_output2": "stairs\\n[]\\n2",
}
TOWER = (
    "public class TowerTester {\n"
    "    static int floors(int height) {\n"
    "        int found = 0;\n"
    "        while (found * Width.METRES < height)\n"
    "            found++;\n"
    "        return found;\n"
    "    }\n"
    "    public void test() {\n"
    '        System.out.println("seven metres");\n'
    '        if (floors(7) != 3) throw new IllegalStateException("floors: " + floors(7));\n'
    "    }\n"
    "}\n"
)
SUMMARY = "\n[         1 tests successful      ]\n[         0 tests failed          ]\n\n"
LAUNCHER = """package org.junit.platform.console;
public class ConsoleLauncher {
    public static void main(String[] words) throws Exception {
        int failed = 0;
        try {
            Class<?> tested = Class.forName(words[1]);
            tested.getMethod("test").invoke(tested.getConstructor().newInstance());
        } catch (java.lang.reflect.InvocationTargetException error) {
            failed = 1;
            error.getCause().printStackTrace();
        }
        System.out.println("\\n[         " + (1 - failed) + " tests successful      ]\\n[         " + failed + " tests failed          ]\\n");
        System.exit(failed);
    }
}
"""
"""A stand-in for JUnit's console, with its words."""


def checkpoints(name, infilling=(), completion=(), *, output="final_output"):
    """The gaps of one program, as they were published."""
    return {
        "Task_Name": name,
        "LN_range": [[1, 9]],
        "output_to_check": output,
        "checkpoint_LN_infilling": [list(gap) for gap in infilling],
        "checkpoint_LN_Completion": [list(gap) for gap in completion],
    }


def write(root, python=(), java=()):
    """Write a benchmark: of each program its checkpoints, its text and its test cases."""
    paths = {}
    for folder, extension, programs in (("Python", "py", python), ("Java", "java", java)):
        home = root / "example_code" / folder
        home.mkdir(parents=True)
        (home / f"{folder}_tasks_checkpoints.json").write_text(json.dumps([one for one, _, _ in programs]))
        for one, text, cases in programs:
            name = one["Task_Name"]
            paths.setdefault(folder, {})[name] = f"./example_code/{folder}/{name}/Test/{name}"
            (home / name / "Test").mkdir(parents=True)
            (home / name / "Test" / f"{name}.{extension}").write_text(text)
            (home / name / "Test" / f"{name}.json").write_text(json.dumps(cases))
    (root / "example_code" / "tasks_path.json").write_text(json.dumps(paths))
    return root


def write_stairs(root, *, infilling=((6, 6),), completion=((5, 6),), output="final_output", text=STAIRS):
    """A benchmark with one Python program, which reads a file beside it."""
    write(root, [(checkpoints("stairs", infilling, completion, output=output), text, STAIRS_CASES)])
    (root / "example_code" / "Python" / "stairs" / "Test" / "width.txt").write_text("7")
    return root


def write_tower(root, *, infilling=((5, 5),), completion=((4, 6),), text=TOWER, expected=SUMMARY):
    """A benchmark with one Java program, which needs a jar beside it, and with the stand-in for JUnit."""
    cases = {"test_case1": "", "expected_output1": expected}
    write(root, java=[(checkpoints("TowerTester", infilling, completion), text, cases)])
    home = root / "example_code" / "Java" / "TowerTester"
    width = "public class Width { public static final int METRES = 3; }"
    jar(home / "Test" / "width.jar", {"Width.java": width})
    jar(home / "junit-platform-console-standalone-0.jar", {"ConsoleLauncher.java": LAUNCHER})
    return root


def jar(file, sources):
    """Compile some sources into a jar."""
    built = file.with_suffix(".built")
    built.mkdir()
    for name, text in sources.items():
        (built / name).write_text(text)
    subprocess.run(["javac", "-d", "classes", *sources], cwd=built, check=True)
    subprocess.run(["jar", "--create", "--file", file, "-C", built / "classes", "."], check=True)


SCRIPT = """
import tiktoken
from openai import OpenAI
from together import Together
from .HF_models import model_context
client = OpenAI()

def post_process_gen_code(text, before, after, program_type, **more):
    print("Cleaned Code:")
    steps = [text.replace("```", ""), f"{program_type}: {len(before)} {len(after)} {after[0]!r}", "        " + text.strip("` ")]
    return dict(zip(["original_code", "cleaned_code", "trimmed_code", "indented_code"], [text, *steps])), ["all"]
"""
"""A post-processor in the form of the benchmark's: its first text is the answer without fences, its second nonsense, its third is indented."""


def write_script(folder):
    """Put the post-processor beside the data."""
    (folder / "helper_functions").mkdir()
    (folder / "helper_functions" / "LLMs_gen.py").write_text(SCRIPT)
    return folder
