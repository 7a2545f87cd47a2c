"""The report: a line for each category, with a bar, and the sum."""

from ledger.balance import total, totals

ICONS = {"food": "🍕", "rent": "🏠", "travel": "🚆", "books": "📚"}
WIDTH = 20


def money(cents):
    """An amount as people write it."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02}"


def bar(cents, largest):
    """A bar whose length is the amount's share of the largest one."""
    return "#" * max(0, cents * WIDTH // largest if largest else 0)


def render(entries):
    """The whole report as text."""
    sums = totals(entries)
    largest = max(sums.values(), default=0)
    lines = [
        f"{ICONS.get(category, '·')} {category:<10} {money(cents):>10} {bar(cents, largest)}".rstrip()
        for category, cents in sums.items()
    ]
    lines.append(f"  {'total':<10} {money(total(entries)):>10}")
    return "\n".join(lines)
