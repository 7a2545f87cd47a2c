"""A script like DevBench's own, which joins Python as ghosttape does and all else otherwise."""

SCRIPT = """
import dotenv
import subprocess
dotenv.load_dotenv()

def run_python_test_case(prefix, answer, suffix, assertions, verbose):
    with open("program.py", "w") as file:
        file.write("import os, asyncio\\n\\n" + prefix + "\\n" + answer + "\\n" + suffix + "\\n\\n# Run assertions\\n" + assertions + "\\n")
    subprocess.run(["python", "program.py"])
    return True, ""

def run_other(prefix, answer, suffix, assertions, verbose):
    with open("program.txt", "w") as file:
        file.write("this is no program")
    with open("program.cpp", "w") as file:
        file.write(prefix + answer + suffix)
    return True, ""

run_javascript_test_case = run_typescript_test_case = run_java_test_case = run_cpp_test_case = run_csharp_test_case = run_other
"""
