"""Stores the streams of a run as files for testdata/, without values that
depend on the machine or the day."""
import os
import re
import sys

UUID = re.compile(r'[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}')
TIME = re.compile(r'20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z')
DURATION = re.compile(r'"(\w+_ms|end_time)":[\d.]+')
SOCKET = re.compile(r'/\d+\.sock\b')
RUN = re.compile(r'"run_id":"[^"]*"')
TASK = re.compile(r'"task_id":"(\w+)"')
PORT = re.compile(r"127\.0\.0\.1(:|', )\d+")


def scrub(text, places):
    """`places` are pairs of a path and its replacement."""
    for path, name in sorted(places, key=lambda p: -len(p[0])):
        text = text.replace(path, name)
        text = text.replace(re.sub(r'[^0-9A-Za-z]', '-', path),
                            name.replace('/', '-'))
    seen = {}

    def numbered(match):
        number = seen.setdefault(match[0], len(seen) + 1)
        return f'00000000-0000-4000-8000-{number:012}'
    text = UUID.sub(numbered, text)
    text = TIME.sub('2026-01-01T00:00:00.000Z', text)
    text = DURATION.sub(r'"\1":1', text)
    text = SOCKET.sub('/1.sock', text)
    text = RUN.sub('"run_id":"1"', text)
    for number, task in enumerate(dict.fromkeys(TASK.findall(text))):
        text = re.sub(rf'\b{task}\b', f'task{number + 1}', text)
    return PORT.sub(r'127.0.0.1\g<1>18400', text)


def keep(folder, case, name):
    """Writes each task's output to FOLDER/HARNESS/VERSION/NAME[-N].jsonl."""
    folder = os.path.join(folder, case.cli.harness, case.cli.version)
    os.makedirs(folder, exist_ok=True)
    places = [(case.work, '/workspace'), (case.home, '/home/user'),
              (case.outside, '/outside'), (case.temporary, '/tmp'),
              (os.path.dirname(case.cli.program), '/cli'),
              (os.path.dirname(sys.executable), '/usr/bin'),
              (os.path.dirname(os.path.abspath(__file__)), '/conformance')]
    for number, task in enumerate(case.tasks):
        suffix = f'-{number + 1}' if number else ''
        with open(f'{folder}/{name}{suffix}.jsonl', 'w') as file:
            file.write(scrub(case.output(task), places))
