"""Finds processes by a mark in their environment."""
import os

MARK = 'TROIKA_CONFORMANCE'


class Process:
    def __init__(self, pid, arguments):
        self.pid = pid
        self.arguments = arguments

    def __repr__(self):
        return f'{self.pid} {" ".join(self.arguments)[:200]}'


def read(pid, name):
    try:
        with open(f'/proc/{pid}/{name}', 'rb') as file:
            return file.read()
    except OSError:
        return b''


def marked(mark):
    """Returns the processes with the mark, oldest first, without zombies."""
    wanted = f'{MARK}={mark}'.encode()
    found = []
    for pid in sorted(int(p) for p in os.listdir('/proc') if p.isdigit()):
        if wanted not in read(pid, 'environ').split(b'\0'):
            continue
        arguments = read(pid, 'cmdline').decode(errors='replace').split('\0')
        if any(arguments):
            found.append(Process(pid, arguments[:-1]))
    return found
