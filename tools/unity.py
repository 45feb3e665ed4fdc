#!/usr/bin/env python3
"""Joins C++ sources, so that the headers they share are compiled once.

usage: unity.py OUT… -- SOURCE…

Each source goes into one of the files OUT. A name in an anonymous namespace would hide
or overload the same name in the sources after it, so a source that declares one goes
into another file than those that use the name.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^#include "[^"]+"$', re.MULTILINE)
ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\}  // namespace$",
                       re.MULTILINE | re.DOTALL)
NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*',
                      re.DOTALL)
# Declarations begin in the first column. Types, functions and constants have
# capital letters; the style has no other names there.
DECLARED = (
    re.compile(r"^(?:struct|class|enum class|enum) (\w+)", re.MULTILINE),
    re.compile(r"^using (\w+) =", re.MULTILINE),
    re.compile(r"^MATCHER\w*\((\w+)", re.MULTILINE),
)
LINE = re.compile(r"^(?!using )[A-Za-z].*$", re.MULTILINE)
NAME = re.compile(r"(?<![\w:.>])(k?[A-Z]\w*[a-z]\w*|[A-Z])(?=\(| =|\{|\[|;|$)")
# Members and names of other namespaces are not looked up in ours.
USED = re.compile(r"(?<![\w.>:])[A-Za-z]\w*")


class Joined:
    """The sources that go into one file."""

    def __init__(self):
        self.texts, self.declared, self.used = [], set(), set()

    def clashes(self, declared, used):
        return self.declared & used | declared & self.used

    def size(self):
        return sum(len(text) for _, text in self.texts)

    def write(self, path):
        includes = {line: None for _, text in self.texts
                    for line in INCLUDE.findall(text)}
        with open(path, "w") as out:
            # First, because a header must see no names of a source.
            for line in includes:
                print(line, file=out)
            for source, text in self.texts:
                print(f'#line 1 "{source}"\n{text}', file=out)


def names(text):
    """Returns what anonymous namespaces declare, and all names that are used."""
    parts = [NOT_CODE.sub('""', part) for part in ANONYMOUS.findall(text)]
    declared = {name for part in parts for pattern in DECLARED
                for name in pattern.findall(part)}
    declared |= {name for part in parts for line in LINE.findall(part)
                 for name in NAME.findall(line)}
    return declared, set(USED.findall(NOT_CODE.sub('""', text)))


def main():
    end = sys.argv.index("--")
    outs, sources = sys.argv[1:end], sys.argv[end + 1:]
    joined = [Joined() for _ in outs]
    for source in sources:
        text = pathlib.Path(source).read_text()
        declared, used = names(text)
        free = [j for j in joined if not j.clashes(declared, used)]
        if not free:
            clashes = set.union(*(j.clashes(declared, used) for j in joined))
            sys.exit(f"{source}: other sources of its target declare"
                     f" {', '.join(sorted(clashes))}, too: rename it, or list"
                     " the source in `separate`")
        chosen = min(free, key=Joined.size)
        chosen.texts.append((source, text))
        chosen.declared |= declared
        chosen.used |= used
    for j, out in zip(joined, outs):
        j.write(out)


main()
