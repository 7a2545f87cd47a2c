"""A folder of data in DevBench's form, with instances of the tests' own."""

import json

FOLDERS = {"csharp": "c_sharp"}


def instance(id_, golden, *, prefix="x = 1", suffix="", assertions="", language="python"):
    """One record, as it was published."""
    return {
        "id": str(id_),
        "testsource": "devbench-low-context",
        "language": language,
        "prefix": prefix,
        "suffix": suffix,
        "golden_completion": golden,
        "LLM_justification": "",
        "assertions": assertions,
    }


def write(folder, *instances, category="low_context", language="python"):
    """Write the file of a language and a category; instances are records, or lines as they are."""
    name = FOLDERS.get(language, language)
    file = folder / "benchmark" / name / category / f"{category}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [one if isinstance(one, str) else json.dumps(one) for one in instances]
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def publish(folder, model, answers, *, category="low_context", language="python"):
    """Write a model's answers: id → texts."""
    name = FOLDERS.get(language, language)
    file = folder / "completions" / name / category / f"{category}-{model}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"id": id_, f"{model}_completions": texts} for id_, texts in answers.items()]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
