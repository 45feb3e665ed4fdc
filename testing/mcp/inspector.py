"""The MCP Inspector's command line lists the tools and calls one of them."""
import json


def play(suite):
    troika = suite.run.programs['troika']
    http = ['--transport', 'http', '--server-url', suite.url,
            '--header', f'Authorization: Bearer {suite.world.token()}']
    variables = [word for name, value in suite.world.env.items()
                 for word in ('-e', f'{name}={value}')]
    targets = {'stdio': ([troika, 'mcp'], variables), 'http': ([], http)}
    for name, (command, flags) in targets.items():
        def inspect(*arguments):
            code, text = suite.output(
                suite.program('mcp-inspector'), '--cli', *command, *flags,
                *arguments)
            if code != 0:
                raise AssertionError(f'exit code {code}: {text}')
            return json.loads(text[text.index('{'):])

        listed = inspect('--method', 'tools/list', '--strict')
        names = [tool['name'] for tool in listed['tools']]
        if 'codex_start' not in names:
            raise AssertionError(f'no codex_start in {names}')
        suite.outcomes.succeed(f'inspector {name} lists')
        called = inspect('--method', 'tools/call', '--tool-name', 'claude_list',
                         '--tool-arg', 'limit=5')
        if 'sessions' not in called['structuredContent']:
            raise AssertionError(f'no sessions in {called}')
        suite.outcomes.succeed(f'inspector {name} calls')
