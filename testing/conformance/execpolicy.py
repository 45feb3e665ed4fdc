"""Compares `troika policy check --rules` with `codex execpolicy check --rules`:
the same rules files and commands must give the same decision and rules."""
import concurrent.futures
import glob
import json
import os
import random
import subprocess
import time

from case import PATIENCE

NAME = 'execpolicy'
CASES = 150
# The first version whose rules have all that we read.
FIRST = (0, 166)

WORDS = ['a', 'b', 'git', 'status', '-s', '--x=y', '', 'é', 'a b', '/bin/a',
         '/x/git', '*', '$(x)', "it's", '"', '\\', 'x\ny', '#']
DECISIONS = ['allow', 'prompt', 'forbidden']
# What Codex takes and what it refuses, in forms that random files don't have.
FIXED = [
    '', '# only', 'prefix_rule(["a"],)', 'prefix_rule(["a", ("b",)])',
    'prefix_rule(("a",))', 'prefix_rule([["a", "a"], ["b", "b"]])',
    'prefix_rule([[]])', 'prefix_rule([])', 'prefix_rule([""])',
    'prefix_rule(["a"], None)', 'prefix_rule(["a"], justification=" ")',
    'prefix_rule(["a"], "allow", [], [], "j")',
    'prefix_rule(["a"], "allow", [], [], "j", "k")',
    'prefix_rule(decision="allow", pattern=["a"])',
    'prefix_rule(decision="allow", ["a"])', 'prefix_rule(["a"], foo="x")',
    'prefix_rule(["a"], pattern=["a"])', 'prefix_rule()',
    'prefix_rule(["a"], "Allow")', 'prefix_rule(["a"], "deny")',
    'x = ["a"]\nprefix_rule(x + ["b"])', 'x = "a"\nx = x + ""\nprefix_rule([x])',
    'prefix_rule(["a" "b"])', '  prefix_rule(["a"])', '\tprefix_rule(["a"])',
    'prefix_rule(\t["a"])', '\t# c\n \nprefix_rule(["a"])',
    'prefix_rule(["a"]);prefix_rule(["a"]);', ';prefix_rule(["a"])',
    'prefix_rule(["a"]);;', 'prefix_rule(["a"]) prefix_rule(["a"])',
    'prefix_rule( \\\n ["a"])', '\\\nprefix_rule(["a"])',
    'prefix_rule(["a"])\r\nprefix_rule(["b"])\r\n', 'prefix_rule(["a"])\r',
    'prefix_rule(["a"])\rx', '\ufeffprefix_rule(["a"])', 'x = y',
    'prefix_rule([x])\nx = "a"', 'prefix_rule(["a"] + "b")',
    'prefix_rule(["a"], match="a")', 'prefix_rule(["a"], match=["a;b"])',
    'prefix_rule(["a"], match=["a && b", ["a"]], not_match=["b", "aa"])',
    'prefix_rule(["a"], match=["#a"])', 'prefix_rule(["a"], match=["a #b"])',
    'prefix_rule(["a"], match=["\\\\\\na", "a\\n#x", "\\"a\\" \'b\'"])',
    'prefix_rule(["a"], match=["a \\"b"])', 'prefix_rule(["a"], match=["a\\\\"])',
    'prefix_rule(["a"], match=["a\\rb"])', 'prefix_rule(["a"], match=["b"])',
    'prefix_rule(["a"], match=["/bin/a"])',
    'prefix_rule(["a"], not_match=["/bin/a"])',
    'prefix_rule(["a"], match=["/bin/a"])\nhost_executable("a", ["/x/a"])',
    'host_executable("a", [])\nprefix_rule(["a"])',
    'host_executable("a", ["x/a"])', 'host_executable("a", ["/x/b"])',
    'host_executable("a", ["/bin/../bin//a"])\nprefix_rule(["a"])',
    'host_executable("..", ["/x/.."])', 'host_executable("x/a", ["/x/a"])',
    'network_rule("a", "http", "deny")', 'network_rule("*.a", "http", "allow")',
    'network_rule("a", "ftp", "allow")', 'network_rule("a", "http")',
    'network_rule("[::1]:8", "https", "prompt", "j")',
    'network_rule("a b", "http", "allow")', 'network_rule("..", "http", "allow")',
]
# Literals of strings, whose values are justifications.
LITERALS = [
    r"'a'", r"'''a\nb''c'''", '"""a"b"""', r"r'a\n'", r'r"a\"b"', r"r'a\"b'",
    r"r'\\'", r"r'\'", r"r'''a\'''b'''", r"'\a\b\f\n\r\t\v\\\'\"'",
    r"'\1011\18\377\777\8'", r"'\x41\u0041\U0001F600\xff'", r"'\x4'",
    r"'\u004'", r"'\ud800'", r"'\U00110000'", r"'\q\ \$\N{x}\/'", "'a\\\nb'",
    "'a\nb'", "'''a\r\nb'''", "r'a\\\nb'", "''''a'''", "'''a''''", "'é\t\x01'",
    "'a' + ('b' + \"c\")", "('a',)", "u'a'", "R'a'", "'a' 'b'", r"'\0'",
]


def literal(made, text):
    """Returns a Starlark literal of the text, in a form by chance."""
    quote = made.choice(['"', "'", '"""', "'''"])
    plain = json.dumps(text, ensure_ascii=made.random() < 0.5)[1:-1]
    if "'" in quote:
        plain = plain.replace('\\"', '"').replace("'", "\\'")
    if text.isalnum() and made.random() < 0.2:
        return f'r{quote}{text}{quote}'
    return f'{quote}{plain}{quote}'


def words(made, most=4):
    few = made.sample(WORDS, 6)
    return [made.choice(few) for _ in range(made.randint(1, most))]


def pattern(made):
    places = []
    for word in words(made, 3):
        if made.random() < 0.3:
            places.append('[%s]' % ', '.join(
                literal(made, w) for w in words(made, 3)))
        else:
            places.append(literal(made, word))
    return '[%s%s]' % (', '.join(places), made.choice(['', ',', '\n', ' # c\n']))


def rule(made):
    if made.random() < 0.1:
        return 'host_executable(name = "git", paths = [%s])' % made.choice(
            ['"/x/git"', '"/x/git", "/y/git"', '', '"/x/../x/git"', '"git"'])
    parts = ['pattern = ' + pattern(made)]
    if made.random() < 0.8:
        parts.append('decision = "%s"' % made.choice(DECISIONS))
    if made.random() < 0.2:
        parts.append('justification = ' + literal(made, made.choice(WORDS)))
    if made.random() < 0.1:
        parts.append('not_match = [[%s]]' % ', '.join(
            literal(made, word) for word in words(made)))
    made.shuffle(parts)
    return 'prefix_rule(%s)' % ', '.join(parts)


def random_case(made):
    files = ['\n'.join(rule(made) for _ in range(made.randint(1, 8)))
             for _ in range(made.choice([1, 1, 2]))]
    return files, words(made, 5), made.random() < 0.3


def all_cases(seed):
    made = random.Random(seed)
    for text in FIXED:
        yield [text], ['a', 'b'], False
        if 'host_executable' in text:
            yield [text], ['/bin/a'], True
    for text in LITERALS:
        yield [f'prefix_rule(["a"], justification={text})'], ['a'], False
    for _ in range(CASES):
        yield random_case(made)


def native(program):
    """Returns the program that npm's script would run, which starts faster."""
    folder = os.path.dirname(os.path.realpath(program))
    found = glob.glob(f'{folder}/../../codex-*/vendor/*/*/codex')
    return found[0] if len(found) == 1 else program


class Oracle:
    def __init__(self, codex, troika, folder):
        self.codex, self.troika, self.folder = codex, troika, folder
        self.env = {**os.environ, 'CODEX_HOME': folder, 'HOME': folder}

    def check(self, program, case, number):
        files, command, resolve = case
        words = [*program, 'check']
        for i, text in enumerate(files):
            path = f'{self.folder}/{number}.{i}.rules'
            with open(path, 'w', newline='') as file:
                file.write(text)
            words += ['--rules', path]
        words += ['--resolve-host-executables'] if resolve else []
        ran = subprocess.run([*words, '--', *command], capture_output=True,
                             text=True, env=self.env, timeout=PATIENCE)
        if ran.returncode == 0:
            return json.loads(ran.stdout)
        return f'exit code {ran.returncode}', ran.stderr

    def differs(self, numbered):
        """Returns how the two differ, or None."""
        number, case = numbered
        theirs = self.check([self.codex, 'execpolicy'], case, number)
        ours = self.check([self.troika, 'policy'], case, number)
        refused = isinstance(ours, tuple) and isinstance(theirs, tuple)
        # The messages differ, and the exit code does not.
        if ours[0] == theirs[0] if refused else ours == theirs:
            return None
        return f'{case}\ncodex:  {theirs}\ntroika: {ours}'


def play(run):
    """Compares both programs for each Codex that is new enough."""
    if run.flags.only not in NAME:
        return
    for cli in run.flags.clis:
        if cli.harness != 'codex' or cli.number < FIRST:
            continue
        began = time.monotonic()
        folder = os.path.join(run.root, f'{NAME}-{cli.version}')
        os.mkdir(folder)
        oracle = Oracle(native(cli.program), run.programs['troika'], folder)
        cases = list(all_cases(seed=cli.version))
        with concurrent.futures.ThreadPoolExecutor(run.flags.jobs) as pool:
            found = [d for d in pool.map(oracle.differs, enumerate(cases)) if d]
        if found:
            run.fail(f'{cli} {NAME}: {len(found)} of {len(cases)} differ',
                     '\n'.join(found[:5]))
        else:
            run.passed.append(f'{cli} {NAME}')
            print(f'{cli} {NAME}: {len(cases)} cases agree '
                  f'({time.monotonic() - began:.1f} s)', flush=True)
