"""Writes compile_commands.json for clang-tidy and clangd from Bazel's actions.

usage: compile_commands.py OUTPUT < AQUERY, where AQUERY is the output of
bazel aquery 'mnemonic("CppCompile", //...)' --output=jsonproto.
Only flags that affect a file's meaning are kept, because the others are
specific to g++.
"""

import json
import os
import sys

WITH_VALUE = ("-I", "-iquote", "-isystem", "-D")


def meaning(arguments):
    kept, takes_next = [], False
    for argument in arguments:
        if takes_next or argument.startswith(WITH_VALUE + ("-std=c++20",)):
            kept.append(argument)
            takes_next = argument in WITH_VALUE
    return kept


def source_of(arguments):
    return arguments[arguments.index("-c") + 1]


def main():
    commands = {}
    for action in json.load(sys.stdin).get("actions", []):
        arguments = action["arguments"]
        source = source_of(arguments)
        if source.endswith(".cc") and not source.startswith("bazel-out/"):
            commands[source] = {
                "directory": os.getcwd(),
                "file": source,
                "arguments": ["clang++", *meaning(arguments), "-c", source],
            }
    with open(sys.argv[1], "w") as output:
        json.dump(sorted(commands.values(), key=lambda c: c["file"]), output,
                  indent=1)


main()
