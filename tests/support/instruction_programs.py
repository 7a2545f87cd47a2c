"""Programs that follow every instruction which `undoing` undoes."""

PYTHON = (
    '''"""Numbers."""

import math
from typing import List

LIMIT = 7
NAMES = {1: "one", 2: "two"}


def running_total(values: List[int]) -> int:
    """Add up what is small enough."""
    total = 0
    # large values are left out
    for value in values:
        if value < LIMIT:
            total += value
    return total


def longest_side(first: int, second: int) -> int:
    """Give back a whole number."""
    # the theorem of Pythagoras
    square = first * first + second * second
    side = math.isqrt(square)
    if side < 0:
        raise ValueError("no side")
    return side
''',
    '''"""Words."""

from collections import Counter


def frequent_word(words: list, least: int = 1) -> str:
    """Find the word that occurs most often."""
    counts = Counter(words)
    # the first one wins
    best_word, best_count = counts.most_common(1)[0]
    if best_count is None:
        return ""
    if best_count < least:
        raise ValueError(f"no word occurs {least} times")
    return best_word


def read_words(path: str) -> list:
    """Read a file."""
    # one word a line, or several
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split()
    except OSError as error:
        raise ValueError(path) from error
''',
)
JAVA = (
    """import java.util.ArrayList;
import java.util.List;

/** Numbers. */
class Numbers {
    private static final int LIMIT = 7;

    /** Adds up what is small enough. */
    int runningTotal(List<Integer> values) {
        int total = 0;
        // large values are left out
        for (int value : values) {
            if (value < LIMIT) {
                total += value;
            }
        }
        return total;
    }

    /** Keeps what is small enough. */
    List<Integer> smallValues(List<Integer> values) {
        List<Integer> kept = new ArrayList<>();
        // in the order of the input
        for (int value : values) {
            if (value < LIMIT) {
                kept.add(value);
            }
        }
        return kept;
    }
}
""",
    """import java.io.IOException;
import java.util.Map;

/** Words. */
class Words {
    private final Map<String, Integer> counts = Map.of("one", 1, "two", 2);

    /** Says how often a word occurs. */
    int countOf(String word) {
        if (word.equals("none")) {
            throw new IllegalArgumentException(word);
        }
        // what is not known does not occur
        int count = counts.getOrDefault(word, 0);
        return count;
    }

    /** Reads a line. */
    String readLine(String path) {
        try {
            return Files.readString(path);
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }
}
""",
)
JAVASCRIPT = (
    """const assert = require("assert");

const LIMIT = 7;

/** Adds up what is small enough. */
function runningTotal(values) {
    let total = 0;
    // large values are left out
    for (const value of values) {
        if (value < LIMIT) {
            total += value;
        }
    }
    return total;
}

/** Tests the sum. */
function testTotal(values) {
    // the empty list sums up to zero
    const result = runningTotal(values);
    const wanted = 0;
    assert.strictEqual(result, wanted);
    return result === wanted;
}

module.exports = { runningTotal, testTotal };
""",
    """const fs = require("fs");

/** Says how often a word occurs. */
function countOf(word, counts) {
    if (word === "none") {
        throw new Error(`no word: ${word}`);
    }
    // what is not known does not occur
    const count = counts.get(word) ?? 0;
    return count;
}

/** Reads a file. */
async function readText(path) {
    // white space around it says nothing
    try {
        const text = await fs.promises.readFile(path, "utf8");
        return text.trim();
    } catch (error) {
        throw new Error(path);
    }
}

module.exports = { countOf, readText };
""",
)
PROGRAMS = {"python": PYTHON, "java": JAVA, "javascript": JAVASCRIPT}
