"""Figures of the comparison with peers: medians, ratios, goals and the table.

No I/O, so that it can be tested.
"""

import dataclasses
import statistics


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of the table.

    `ours` and `theirs` name the figures of a round; `theirs` is empty if the
    peer has no such figure. `at_most` is the goal for our figure, or for the
    ratio of both if `of_ratio` is set; None if there is no goal.
    """
    title: str
    unit: str
    ours: str
    theirs: str = ""
    at_most: float | None = None
    of_ratio: bool = False


ROWS = [
    Row("POST to the agent's main()", "ms",
        "start.main", "start.main", 0.9, of_ratio=True),
    Row("POST to the agent's first output at the client", "ms",
        "start.output", "start.output", 0.95, of_ratio=True),
    Row("the same, against the peer's session, stream and prompt", "ms",
        "start.event", "start.event", 0.7, of_ratio=True),
    Row("prompt on a live session to its first event", "ms",
        "prompt.event", "prompt.event", 0.9, of_ratio=True),
    Row("latency of an event at 100 events/s, p50", "us",
        "latency.p50", "latency.p50", 0.9, of_ratio=True),
    Row("latency of an event at 100 events/s, p99", "us",
        "latency.p99", "latency.p99"),
    Row("first output with 100 live sessions, as a share of that without",
        "", "busy.share", "busy.share", 1.3),
    Row("memory of the server and its relays with 100 live sessions", "MB",
        "busy.memory", "busy.memory"),
    Row("1000 tasks started and running", "s", "crowd.seconds", "", 6),
    Row("resident memory when idle", "MB", "idle.memory", "idle.memory", 6),
    Row("100 000 events as fast as possible", "events/s",
        "flood.rate", "flood.rate"),
    Row("events lost of 100 000", "", "flood.lost", "flood.lost", 0),
    Row("peak memory of the server under them", "MB",
        "flood.memory", "flood.memory"),
    Row("events lost if the client reads nothing for 3 s", "",
        "stall.lost", "stall.lost", 0),
    Row("peak memory of the server then", "MB", "stall.memory", "stall.memory"),
]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A median over the rounds, and the range."""
    value: float
    least: float
    most: float


def figures(rounds):
    """Returns {name: Figure} of a list of {name: value}, one for each round."""
    names = {name for one in rounds for name in one}
    return {name: figure([one[name] for one in rounds if name in one])
            for name in names}


def figure(values):
    return Figure(statistics.median(values), min(values), max(values))


def ratio(row, ours, theirs):
    """Returns ours / theirs, or None if there is no such ratio."""
    mine, other = ours.get(row.ours), theirs.get(row.theirs)
    if mine is None or other is None or other.value == 0:
        return None
    return mine.value / other.value


def verdict(row, ours, theirs):
    """Returns "yes", "NO" or "not measured" for a goal; "" without one."""
    if row.at_most is None:
        return ""
    value = ratio(row, ours, theirs) if row.of_ratio else (
        ours[row.ours].value if row.ours in ours else None)
    if value is None:
        return "not measured"
    return "yes" if value <= row.at_most else "NO"


def goal(row):
    if row.at_most is None:
        return ""
    return f"{'ratio ' if row.of_ratio else ''}≤ {row.at_most:g}"


def number(value):
    """Returns a value with three significant digits or more."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def cell(row, found, name):
    if name not in found:
        return "–" if not name else "not measured"
    one = found[name]
    text = f"{number(one.value)} {row.unit}".rstrip()
    if number(one.least) == number(one.most):
        return text
    return f"{text} ({number(one.least)} to {number(one.most)})"


def table(ours, theirs, peer):
    """Returns the Markdown table of all rows that were measured."""
    lines = [f"| measure | troika | {peer} | ratio | goal | reached |",
             "|---|---|---|---|---|---|"]
    for row in ROWS:
        if row.ours not in ours and row.theirs not in theirs:
            continue
        share = ratio(row, ours, theirs)
        lines.append("| " + " | ".join([
            row.title, cell(row, ours, row.ours), cell(row, theirs, row.theirs),
            "–" if share is None else f"{share:.2f}", goal(row) or "–",
            verdict(row, ours, theirs) or "–"]) + " |")
    return "\n".join(lines) + "\n"
