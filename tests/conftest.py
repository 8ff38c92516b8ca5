"""Shared by all tests: a line at the end that says how many cases the oracle has judged."""

from __future__ import annotations


def pytest_terminal_summary(terminalreporter):
    counts: dict[str, int] = {}
    for report in terminalreporter.stats.get("passed", []):
        for name, number in getattr(report, "user_properties", []):
            if name.startswith("judged "):
                counts[name] = counts.get(name, 0) + number
    for name, number in sorted(counts.items()):
        terminalreporter.write_line(f"{name}: {number}")
