"""A file that is completed as it is typed."""

START = '"""A cart."""\n\n\ndef total(prices):\n    '


def completed(asked):
    written = asked["prompt"].rpartition("\n")[2].strip()
    for lines in WANTED:
        line = lines[asked["seed"] % len(lines)]
        if written and line.startswith(written):
            return line[len(written) :]
    return ""


WANTED = (
    ("return sum(prices)",),
    ("alpha = one + two",),
    ("beta = three",),
    ("zed",),
    ("name = 1", "number = 2", "none = 3"),
    ("for price in prices:\n        total += price",),
)
"""The lines that the model knows, each by its beginning; where there are several, a further answer is another one."""
