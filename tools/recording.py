#!/usr/bin/env python3
"""Records the programs in a terminal as an animated SVG.

usage: recording.py PROGRAM_FOLDER OUTPUT

PROGRAM_FOLDER has troika, troika-server, troika-relay and troika-demo-agent. Types
the commands of SCENE into a shell in tmux, looks at the screen ten times a second,
and makes a frame of each change.
"""

import html
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 84, 22
SCENE = [  # What is typed, and for how long it is watched.
    ('troika run demo --detach "fix the parser"', 0.8),
    ('troika run demo --detach "find dead code"', 0.8),
    ('troika run demo --detach "write the release notes"', 1.0),
    ("troika tasks", 1.5),
    ("kill -9 $SERVER           # whatever happens to the server …", 1.5),
    ("troika tasks              # … the agents go on, and so do you", 2.5),
    ("troika tail latest -f", 7.0),
    ("troika tasks", 3.0),
]
COLORS = ["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff",
          "#39c5cf", "#c9d1d9"]
CELL, LINE, MARGIN = 8.4, 18, 14


class Terminal:
    def __init__(self, env):
        self.socket = tempfile.mktemp(prefix="recording-")
        self.run("-f", "/dev/null", "new-session", "-d", "-x", str(WIDTH), "-y",
                 str(HEIGHT), "env", "-i", *(f"{k}={v}" for k, v in env.items()),
                 "bash", "--norc", "--noprofile")
        self.run("set-option", "-g", "status", "off")

    def run(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], check=True,
                              capture_output=True, text=True).stdout

    def screen(self):
        return self.run("capture-pane", "-p", "-e").rstrip("\n")

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False,
                       capture_output=True)


def record(terminal):
    """Returns screens with the seconds for which each was there."""
    frames, began = [], time.monotonic()

    def look():
        now, screen = time.monotonic() - began, terminal.screen()
        if not frames or frames[-1][1] != screen:
            frames.append((now, screen))

    def watch(seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            look()
            time.sleep(0.1)

    watch(0.5)
    for command, seconds in SCENE:
        for start in range(0, len(command), 3):
            terminal.run("send-keys", "-l", command[start:start + 3])
            look()
        terminal.run("send-keys", "Enter")
        watch(seconds)
    end = time.monotonic() - began
    starts = [start for start, _ in frames] + [end]
    return [(starts[i], starts[i + 1] - starts[i], screen)
            for i, (_, screen) in enumerate(frames)], end


def spans(line):
    """Splits a line with escape sequences into texts and their style."""
    style = {}
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if not code:
            if part:
                yield part, dict(style)
            continue
        for number in [int(word or 0) for word in code.group(1).split(";")]:
            if number == 0:
                style = {}
            elif number == 1:
                style["font-weight"] = "bold"
            elif number == 2:
                style["opacity"] = "0.6"
            elif 30 <= number <= 37 or 90 <= number <= 97:
                style["fill"] = COLORS[number % 10]
            elif number == 39:
                style.pop("fill", None)


def draw_line(line, row):
    out, column = [], 0
    for text, style in spans(line):
        attributes = "".join(f' {name}="{value}"' for name, value in style.items())
        x = MARGIN + column * CELL
        out.append(f'<tspan x="{x:.1f}"{attributes}>{html.escape(text)}</tspan>')
        column += len(text)
    y = MARGIN + 26 + (row + 0.8) * LINE
    return f'<text y="{y:.1f}" xml:space="preserve">{"".join(out)}</text>'


def svg(frames, total):
    """Frames share their lines: each line is drawn once for the time it is there."""
    shown = {}  # (row, line) to intervals.
    for start, length, screen in frames:
        for row, line in enumerate(screen.split("\n")):
            if not line.strip():
                continue
            intervals = shown.setdefault((row, line), [])
            if intervals and abs(intervals[-1][1] - start) < 1e-6:
                intervals[-1][1] = start + length
            else:
                intervals.append([start, start + length])
    width, height = MARGIN * 2 + WIDTH * CELL, MARGIN * 2 + 26 + HEIGHT * LINE
    styles, groups = [], []
    for number, ((row, line), intervals) in enumerate(shown.items()):
        steps = ["0%{opacity:0}"] if intervals[0][0] > 0 else []
        for start, end in intervals:
            steps += [f"{start / total:.2%}{{opacity:1}}",
                      f"{end / total:.2%}{{opacity:0}}"]
        styles.append(f"@keyframes k{number}{{{''.join(steps)}}}"
                      f".k{number}{{animation:k{number} {total:.1f}s infinite "
                      "step-end}")
        groups.append(f'<g class="k{number}">{draw_line(line, row)}</g>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
            f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">'
            f"<style>text{{font:14px ui-monospace,Menlo,Consolas,monospace;"
            f"fill:#c9d1d9;white-space:pre}}{''.join(styles)}</style>"
            f'<rect width="100%" height="100%" rx="10" fill="#0d1117"/>'
            '<circle cx="20" cy="18" r="5" fill="#ff5f56"/>'
            '<circle cx="38" cy="18" r="5" fill="#ffbd2e"/>'
            '<circle cx="56" cy="18" r="5" fill="#27c93f"/>'
            f"{''.join(groups)}</svg>\n")


def stop_server(state):
    """Ends the server that took the place of the killed one."""
    lock = pathlib.Path(state, "server.lock")
    pid = re.search(r"\d+", lock.read_text() if lock.exists() else "")
    if pid:
        os.kill(int(pid.group()), signal.SIGTERM)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, output = sys.argv[1:]
    home = tempfile.mkdtemp(prefix="recording-")
    terminal = Terminal({
        "PATH": f"{os.path.abspath(folder)}:/usr/bin:/bin", "HOME": home,
        "TROIKA_HOME": f"{home}/state", "TERM": "screen-256color", "LANG": "C.UTF-8",
        "TROIKA_DEMO_BIN": os.path.abspath(f"{folder}/troika-demo-agent"),
        "PS1": "\\[\\e[32m\\]$\\[\\e[0m\\] "})
    try:
        terminal.run("send-keys", "troika serve --demo --listen none "
                     ">/dev/null 2>&1 & SERVER=$!; disown; cd; sleep 1; clear",
                     "Enter")
        time.sleep(2.5)
        frames, total = record(terminal)
    finally:
        terminal.close()
        stop_server(f"{home}/state")
        shutil.rmtree(home, ignore_errors=True)
    pathlib.Path(output).write_text(svg(frames, total))


if __name__ == "__main__":
    main()
