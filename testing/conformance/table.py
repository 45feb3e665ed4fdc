"""Reads and writes docs/compatibility.md: which version does what."""
import datetime
import os

import clis
import modes
import scenario

HEAD = '''# What works with which version

`./dev conformance --update` writes this page: it runs every scenario of
testing/conformance with the real CLIs, a scripted model and the real relay, and records
the outcome. `./dev test` runs the versions that tools/clis.lock marks as current, and
fails if their outcome differs from this page. Last written on {date}.

"no" means that the version can't do it: Troika refuses the request, and says what to do
instead. Words other than "yes" say how much the CLI reports. "not told": a failure looks
like a success. "no code", "no text", "no server" and "no id": the exit code, the error's
text, the name of the MCP server or the session's id is missing. "not cached" and
"other": the tokens are not those that the model counted. "forgets": an earlier prompt is
not in the continued conversation. If a stream breaks off, the CLI reports an error
("told"), repeats the request ("tried again"), or takes the beginning for the whole
answer ("taken as it is"). Another model is set in the process that runs ("yes") or needs
"a new process". The text of a plan comes from the request, or only "from a file" that the
agent writes before. A subagent asks after the turn, or the turn "waits for it". "no
schema": the CLI does not say what it may ask its client. "denies": rules deny, but allow
nothing, as the CLI does not tell exactly what would run. "?" was not tried.
'''


def scenes(group):
    return [s for s in scenario.ALL if s.group == group]


def titles(group):
    return {s.title: s.name for s in scenes(group)}


def row(cells):
    return '| ' + ' | '.join(cells) + ' |\n'


def rule(columns):
    return '|' + '---|' * columns + '\n'


def mode_words(outcome):
    """Returns a word per column; a single word applies to all of them."""
    words = outcome.split()
    return words if len(words) > 1 else words * len(modes.COLUMNS)


def harness_section(kind, found):
    versions = sorted({v for h, v, _ in found if h == kind.harness},
                      key=clis.version_of)
    if not versions:
        return ''

    def cell(version, scene):
        return found.get((kind.harness, version, scene.name), '?')
    text = f'\n## {kind.name}\n\n' + row(['feature', *versions])
    text += rule(len(versions) + 1)
    for scene in scenes('features'):
        text += row([scene.title, *(cell(v, scene) for v in versions)])
    text += f'\n### Edit modes of {kind.name}\n\n'
    text += row(['mode', 'version', *modes.COLUMNS])
    text += rule(len(modes.COLUMNS) + 2)
    for scene in scenes(modes.GROUP):
        for version in versions:
            outcome = cell(version, scene)
            text += row([scene.title, version, *mode_words(outcome)])
    return text


def read(path):
    """Reads the findings that update() has written."""
    found, kind, head = {}, None, []
    if not os.path.exists(path):
        return found
    with open(path) as file:
        for line in file:
            for k in clis.KINDS.values():
                if line == f'## {k.name}\n':
                    kind = k
            if not line.startswith('| '):
                continue
            cells = [c.strip() for c in line.strip().strip('|').split(' | ')]
            if cells[0] in ('feature', 'mode'):
                head = cells
            elif head[0] == 'feature':
                name = titles('features').get(cells[0])
                for version, outcome in zip(head[1:], cells[1:]):
                    found[(kind.harness, version, name)] = outcome
            else:
                name = titles(modes.GROUP).get(cells[0])
                found[(kind.harness, cells[1], name)] = ' '.join(cells[2:])
    return found


def update(path, found):
    """Writes the findings; versions that were not run keep theirs."""
    both = {**read(path), **found}
    text = HEAD.format(date=datetime.date.today().isoformat())
    for kind in clis.KINDS.values():
        text += harness_section(kind, both)
    with open(path, 'w') as file:
        file.write(text)


def differences(path, found):
    """Returns a line for each finding that differs from the table. A version
    without a column is compared with the newest one that has a column."""
    written = read(path)
    known = {version for _, version, _ in written}
    lines = []
    for (harness, version, name), outcome in sorted(found.items()):
        column = version
        if version not in known:
            column = max((v for h, v, _ in written if h == harness),
                         key=clis.version_of, default=version)
        wanted = written.get((harness, column, name), 'nothing')
        if name in titles(modes.GROUP).values():
            outcome = ' '.join(mode_words(outcome))
        if wanted != outcome:
            lines.append(f'{harness} {version} {name}: "{outcome}", and '
                         f'{os.path.basename(path)} says "{wanted}" of '
                         f'{column}; if that is right: ./dev conformance '
                         f'--update {harness}@{version}')
    return lines
