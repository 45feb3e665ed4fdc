#!/usr/bin/env python3
"""Makes man pages and shell completions of docs/cli.md, as the programs' help is.

usage: help_pages.py CLI_MD VERSION OUTPUT_FOLDER

Writes man1/troika.1, man1/troika-COMMAND.1, and troika.bash, troika.zsh and
troika.fish into the folder.
"""

import dataclasses
import pathlib
import re
import sys

# The first word of a command's usage, and what its values are.
TASK, SESSION, HARNESS, FOLDER, FILE = "task", "session", "harness", "dir", "file"
VALUES = {"TASK": TASK, "SESSION": SESSION, "HARNESS": HARNESS, "DIR": FOLDER,
          "FILE": FILE}
# Flags whose values are names that the help lists, or that can be asked for.
FLAG_VALUES = {"--model": "model", "--harness": HARNESS}
WORDS = {"--color": "auto always never",
         "--edit-mode": "research ask auto_edit full_auto dangerous native",
         "--state": "queued starting running awaiting_approval awaiting_answer "
                    "done denied failed interrupted cancelled idle"}


@dataclasses.dataclass
class Flag:
    names: list  # -f, --follow
    value: str  # Empty if it has none.
    text: str


@dataclasses.dataclass
class Command:
    name: str
    usage: list  # Lines without "usage: ".
    body: list  # Lines.
    flags: list

    @property
    def summary(self):
        """The description's first sentence."""
        paragraph = " ".join(" ".join(self.body).split())
        return re.split(r"[.:](?: |$)", paragraph, maxsplit=1)[0]

    @property
    def operand(self):
        """What the command's first word is, or an empty string."""
        usage = re.sub(r"\[?--?[a-z-]+[ =]?[A-Z]*\]?", "", " ".join(self.usage))
        kinds = [VALUES[word] for word in re.findall(r"[A-Z]+", usage)
                 if word in VALUES]
        return SESSION if SESSION in kinds else next(iter(kinds), "")


FLAG_LINE = re.compile(
    r"^ {2}((?:-[a-zA-Z], )?--?[a-zA-Z][a-z-]*)(?: ([A-Z][A-Z0-9_=:|]*"
    r"(?: [A-Z]+)?))?(?: {2,}(.*)| (.*))?$")


def read_flags(lines):
    flags, open_flag = [], None
    for line in lines:
        match = FLAG_LINE.match(line)
        if match:
            names, value, text, rest = match.groups()
            open_flag = Flag(names.split(", "), value or "", text or rest or "")
            flags.append(open_flag)
        elif open_flag and re.match(r"^ {4,}\S", line):
            open_flag.text = f"{open_flag.text} {line.strip()}".strip()
        else:
            open_flag = None
    for flag in flags:  # "allow it; or --no-it" names two flags.
        flag.names += re.findall(r"\bor (--no-[a-z-]+)", flag.text)
    return flags


def read_commands(text):
    commands = []
    for name, block in re.findall(
            r"^## troika (\S+)\n+```text\n(.*?)^```$", text, re.M | re.S):
        lines = block.rstrip().splitlines()
        end = lines.index("")
        usage = [line.removeprefix("usage: ").strip() for line in lines[:end]]
        body = lines[end + 1:]
        commands.append(Command(name, usage, body, read_flags(body)))
    return commands


def roff(text):
    """Escapes a line of text."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\`")
    text = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]"
                   for letter in text)
    return "\\&" + text if text[:1] in (".", "'") else text


def man_body(command):
    """Flags become tagged paragraphs, and examples are printed as they are."""
    out, paragraph = [], False
    lines = iter(command.body)
    for line in lines:
        match = FLAG_LINE.match(line)
        exit_code = re.match(r"^Exit code: (.*)", line)
        if match:
            names, value, text, rest = match.groups()
            out += [".TP", f"\\fB{roff(names)}\\fR" +
                    (f" \\fI{roff(value)}\\fR" if value else "")]
            if text or rest:
                out.append(roff(text or rest))
            paragraph = True
        elif re.match(r"^Examples?:?$", line):
            out += [".SH EXAMPLES", ".nf"]
            out += [roff(example.strip()) for example in lines]
            out.append(".fi")
        elif exit_code:
            out += [".SH EXIT STATUS", roff(exit_code.group(1))]
        elif not line:
            out.append(".PP")
            paragraph = False
        elif line.startswith("  ") and not paragraph:
            out += [".br", roff(line.strip())]
        else:
            if not line.startswith("  ") and paragraph:
                out.append(".PP")
                paragraph = False
            out.append(roff(line.strip()))
    return out


def man_page(command, version):
    title = f"TROIKA-{command.name.upper()}"
    lines = [f'.TH "{title}" 1 "" "troika {version}" "Troika"', ".SH NAME",
             f"troika\\-{command.name} \\- {roff(command.summary)}",
             ".SH SYNOPSIS", ".nf", *map(roff, command.usage), ".fi",
             ".SH DESCRIPTION", *man_body(command), ".SH SEE ALSO",
             ".BR troika (1)"]
    return "\n".join(lines) + "\n"


def overview_page(commands, version):
    lines = [f'.TH "TROIKA" 1 "" "troika {version}" "Troika"', ".SH NAME",
             "troika \\- runs Claude Code, Codex CLI and Gemini CLI in tasks "
             "that survive your terminal",
             ".SH SYNOPSIS", "troika \\fICOMMAND\\fR [\\fIFLAG\\fR...]",
             ".SH COMMANDS"]
    for command in commands:
        lines += [".TP", f".BR troika\\-{command.name} (1)",
                  roff(command.summary)]
    return "\n".join(lines) + "\n"


# Values that only a running program knows. Nothing is printed on errors, and no
# server is started just to complete a word.
ASK = """\
_troika_running() {
  [ -S "${TROIKA_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/troika}/server.sock" ]
}
_troika_values() {
  case $1 in
    task) echo latest
      _troika_running && troika tasks --limit 50 --json 2>/dev/null |
        sed -n 's/^{"id":"\\([a-z0-9]*\\)".*/\\1/p' ;;
    session) _troika_values task
      _troika_running && troika sessions --limit 50 --json 2>/dev/null |
        sed -n 's/.*"id":"\\([A-Za-z0-9_-]*\\)".*/\\1/p' ;;
    harness) printf '%s\\n' codex claude gemini
      sed -n 's/^\\[acp\\.\\([A-Za-z0-9_-]*\\)\\].*/\\1/p' \\
        "${XDG_CONFIG_HOME:-$HOME/.config}/troika/config.toml" 2>/dev/null ;;
    model) _troika_running && troika harnesses --json 2>/dev/null |
        sed -n 's/.*"models":\\[\\([^]]*\\)\\].*/\\1/p' | tr -d '" ' | tr ',' '\\n' ;;
  esac
  return 0
}
"""


def kind_of(flag):
    for name in flag.names:
        if name in FLAG_VALUES:
            return FLAG_VALUES[name]
    return VALUES.get(flag.value.split(" ")[0], "")


def words_of(flag):
    return next((WORDS[name] for name in flag.names if name in WORDS), "")


def flag_names(command):
    return [name for flag in command.flags for name in flag.names]


def bash_completion(commands):
    out = ["# Completes the words of `troika` in bash.", ASK.rstrip(),
           "_troika() {", '  local word=${COMP_WORDS[COMP_CWORD]}',
           '  local before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}',
           "  local flags='' kind=''", "  COMPREPLY=()",
           "  if [[ $COMP_CWORD -eq 1 ]]; then",
           "    COMPREPLY=($(compgen -W '%s help' -- \"$word\"))" % " ".join(
               command.name for command in commands),
           "    return", "  fi", '  case "$command $before" in']
    for command in commands:
        for flag in command.flags:
            if not flag.value:
                continue
            pattern = "|".join(f"'{command.name} {name}'" for name in flag.names)
            if words_of(flag):
                out.append(f"    {pattern}) COMPREPLY=($(compgen -W "
                           f"'{words_of(flag)}' -- \"$word\")); return ;;")
            elif kind_of(flag) == FOLDER:
                out.append(f"    {pattern}) COMPREPLY=($(compgen -d -- "
                           '"$word")); return ;;')
            elif kind_of(flag) == FILE:
                out.append(f"    {pattern}) COMPREPLY=($(compgen -f -- "
                           '"$word")); return ;;')
            elif kind_of(flag):
                out.append(f"    {pattern}) COMPREPLY=($(compgen -W "
                           f'"$(_troika_values {kind_of(flag)})" -- "$word")); '
                           "return ;;")
            else:
                out.append(f"    {pattern}) return ;;")
    out += ["  esac", "  case $command in"]
    for command in commands:
        out.append(f"    {command.name}) flags='{' '.join(flag_names(command))}'"
                   + (f" kind={command.operand}" if command.operand else "")
                   + " ;;")
    out.append("    help) flags='%s' ;;" % " ".join(
        command.name for command in commands))
    out += ["  esac", "  if [[ $word == -* || $command == help ]]; then",
            "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))",
            "  elif [[ $kind == file ]]; then",
            '    COMPREPLY=($(compgen -f -- "$word"))',
            "  elif [[ -n $kind && $COMP_CWORD -eq 2 ]]; then",
            '    COMPREPLY=($(compgen -W "$(_troika_values "$kind")" -- "$word"))',
            "  fi", "}", "complete -o filenames -F _troika troika"]
    return "\n".join(out) + "\n"


def quoted(text):
    """For single quotes of zsh and fish, and zsh's brackets."""
    return text.replace("'", "’").replace("[", "(").replace("]", ")").replace(
        ":", " -")


def zsh_completion(commands):
    out = ["#compdef troika", "# Completes the words of `troika` in zsh.",
           ASK.rstrip(),
           "_troika_ask() { compadd -- ${(f)\"$(_troika_values $1)\"} }",
           "_troika() {", "  local -a commands", "  commands=("]
    out += [f"    '{command.name}:{quoted(command.summary)}'"
            for command in commands]
    out += ["    'help:describe a command'", "  )",
            "  if (( CURRENT == 2 )); then",
            "    _describe command commands; return", "  fi",
            "  local command=$words[2]", "  shift words; (( CURRENT-- ))",
            "  case $command in", "    help) _describe command commands ;;"]
    for command in commands:
        specs = []
        for flag in command.flags:
            action = ""
            if flag.value:
                kind, words = kind_of(flag), words_of(flag)
                action = f":{flag.value.lower()}:" + (
                    f"({words})" if words else "_files -/" if kind == FOLDER
                    else "_files" if kind == FILE
                    else f"_troika_ask {kind}" if kind else "")
            specs += [f"'*{name}[{quoted(flag.text)}]{action}'"
                      for name in flag.names]
        if command.operand == FILE:
            specs.append("'*:file:_files'")
        elif command.operand:
            specs.append(f"'1:{command.operand}:_troika_ask {command.operand}'")
        out.append(f"    {command.name}) _arguments {' '.join(specs)} ;;")
    out += ["  esac", "}", 'if [[ $funcstack[1] == _troika ]]; then',
            '  _troika "$@"', "else", "  compdef _troika troika", "fi"]
    return "\n".join(out) + "\n"


def fish_completion(commands):
    out = ["# Completes the words of `troika` in fish.",
           "function __troika_values", "    sh -c '" +
           ASK.replace("\\", "\\\\").replace("'", "\\'") + "_troika_values \"$1\"' sh $argv[1]",
           "end", "complete -c troika -f"]
    for command in commands:
        out.append("complete -c troika -n __fish_use_subcommand -a "
                   f"{command.name} -d '{quoted(command.summary)}'")
    for command in commands:
        seen = f"-n '__fish_seen_subcommand_from {command.name}'"
        if command.operand == FILE:
            out.append(f"complete -c troika {seen} -F")
        elif command.operand:
            out.append(f"complete -c troika {seen} -a "
                       f"'(__troika_values {command.operand})'")
        for flag in command.flags:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                for name in flag.names)
            value = ""
            if flag.value:
                kind, words = kind_of(flag), words_of(flag)
                value = " -r" + (
                    f" -a '{words}'" if words else " -F" if kind in (FOLDER, FILE)
                    else f" -a '(__troika_values {kind})'" if kind else "")
            out.append(f"complete -c troika {seen} {names}{value} -d "
                       f"'{quoted(flag.text)}'")
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    source, version, folder = sys.argv[1:]
    commands = read_commands(pathlib.Path(source).read_text())
    if not commands:
        sys.exit(f"help_pages.py: no commands in {source}")
    out = pathlib.Path(folder)
    (out / "man1").mkdir(parents=True, exist_ok=True)
    (out / "man1/troika.1").write_text(overview_page(commands, version))
    for command in commands:
        (out / f"man1/troika-{command.name}.1").write_text(
            man_page(command, version))
    (out / "troika.bash").write_text(bash_completion(commands))
    (out / "troika.zsh").write_text(zsh_completion(commands))
    (out / "troika.fish").write_text(fish_completion(commands))


if __name__ == "__main__":
    main()
