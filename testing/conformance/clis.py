"""Configures each real CLI to use a model on this machine."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Name of the profile whose setting shows that it was applied.
PROFILE = 'thorough'


class McpServer:
    """A Model Context Protocol server that the CLI starts."""

    def __init__(self, name, command, env=None):
        self.name = name
        self.command = command
        self.env = env or {}

    def settings(self):
        return {'command': self.command[0], 'args': self.command[1:],
                'env': self.env}


LOCAL_MCP_SERVER = McpServer(
    'local', [sys.executable, os.path.join(HERE, 'mcp_server.py')])


def version_of(text):
    return tuple(int(part) for part in text.split('.'))


class Cli:
    """One version of a CLI, as installed by tools/clis."""
    harness = name = variable = ''
    model = other_model = ''
    # A model that takes an effort; empty: the default model does.
    effort_model = ''
    # Variables that only make the CLI start faster.
    quick = {}
    # Milliseconds that the model must wait before its first answer.
    first_answer = 0
    # Instructions of the model that call the tools which ask to begin with a
    # plan, and which start a subagent in the background; empty: it has none.
    plan = background = ''
    # Whether a task that nobody talks to runs in a conversation, too. What the
    # server reports of a harness holds for one of its wires.
    talks = True
    # Whether the CLI's own settings can let it do everything without asking.
    can_bypass = True
    verbosity_model = ''  # A model that takes a verbosity, if `model` doesn't.

    def __init__(self, version, program):
        self.version = version
        self.program = program
        self.number = version_of(version)

    def __str__(self):
        return f'{self.harness} {self.version}'

    def prepare(self, home, url, mcp):
        """Writes the CLI's own settings, with an McpServer or None, and returns
        its environment."""
        raise NotImplementedError

    def alone(self, prompt):
        """Returns the command line of one turn without Troika."""
        return [self.program, '-p', prompt, '--model', self.model]

    def allow_everything(self, home, work):
        """Adds settings that allow commands and edits, where it has such."""

    def bypass_everything(self, home, work):
        """Configures the CLI itself to do everything without asking."""
        self.allow_everything(home, work)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file:
        file.write(text)


class Codex(Cli):
    harness, name, variable = 'codex', 'Codex CLI', 'TROIKA_CODEX_BIN'
    talks = False

    def __init__(self, version, program):
        super().__init__(version, program)
        # Other models of new versions write programs instead of calling tools.
        # For a model that it does not know, Codex omits effort and verbosity.
        self.model, self.other_model = (
            ('gpt-5.5', 'gpt-5.4') if self.number >= (0, 166) else
            ('gpt-5.4', 'gpt-5.2') if self.number >= (0, 124) else
            ('gpt-5-codex', 'gpt-5'))
        self.verbosity_model = 'gpt-5' if self.number < (0, 124) else ''

    def alone(self, prompt):
        return [self.program, 'exec', '--model', self.model, prompt]

    def bypass_everything(self, home, work):
        del work
        path = f'{home}/.codex/config.toml'
        with open(path) as file:
            settings = file.read()
        # Before the first table.
        write(path, 'sandbox_mode = "danger-full-access"\n'
                    f'approval_policy = "never"\n{settings}')

    def prepare(self, home, url, mcp):
        folder = os.path.join(home, '.codex')
        config = f'''
model = "{self.model}"
model_provider = "loopback"
check_for_update_on_startup = false
[model_providers.loopback]
name = "loopback"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
[analytics]
enabled = false
[features]
plugins = false
'''
        profile = 'model_reasoning_effort = "high"\n'
        if self.number >= (0, 166):
            write(f'{folder}/{PROFILE}.config.toml', profile)
        else:
            config += f'[profiles.{PROFILE}]\n{profile}'
        if mcp:
            # Strings of JSON are strings of TOML, too.
            config += (f'[mcp_servers.{mcp.name}]\n'
                       f'command = {json.dumps(mcp.command[0])}\n'
                       f'args = {json.dumps(mcp.command[1:])}\n'
                       # Otherwise tools are missing from the first request.
                       'required = true\n'
                       f'[mcp_servers.{mcp.name}.env]\n')
            config += ''.join(f'{name} = {json.dumps(value)}\n'
                              for name, value in mcp.env.items())
        write(f'{folder}/config.toml', config)
        return {'CODEX_HOME': folder, 'LOOPBACK_KEY': 'none'}


class Claude(Cli):
    harness, name, variable = 'claude', 'Claude Code', 'TROIKA_CLAUDE_BIN'
    model, other_model = 'claude-sonnet-4-5', 'claude-haiku-4-5'
    effort_model = 'claude-opus-4-5'
    plan = 'call ExitPlanMode {"plan":"First this, then that."}'
    background = ('call Task {"description":"Work","prompt":"In the back.",'
                  '"subagent_type":"general-purpose",'
                  '"run_in_background":true}')

    def allow_everything(self, home, work):
        settings = json.dumps({'permissions': {
            'allow': ['Bash', 'Edit', 'Write', 'WebFetch', 'NotebookEdit'],
            'defaultMode': 'bypassPermissions'}})
        write(f'{home}/.claude/settings.json', settings)
        write(f'{work}/.claude/settings.json', settings)
        # Otherwise newer versions ignore what the project's file allows.
        write(f'{home}/.claude.json', json.dumps({
            'hasCompletedOnboarding': True,
            'projects': {work: {'allowedTools': [], 'mcpServers': {},
                                'hasTrustDialogAccepted': True}}}))

    def prepare(self, home, url, mcp):
        state = {'hasCompletedOnboarding': True}
        if mcp:
            state['mcpServers'] = {
                mcp.name: {'type': 'stdio', **mcp.settings()}}
        write(f'{home}/.claude.json', json.dumps(state))
        return {
            'ANTHROPIC_BASE_URL': url,
            'ANTHROPIC_API_KEY': 'none',
            'DISABLE_TELEMETRY': '1',
            'DISABLE_AUTOUPDATER': '1',
            'DISABLE_ERROR_REPORTING': '1',
            'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC': '1',
            # Otherwise it refuses to run without restrictions as root.
            'IS_SANDBOX': '1',
            # Otherwise it would send the first request before the servers'
            # tools are available.
            'MCP_CONNECTION_NONBLOCKING': '0',
        }


class Gemini(Cli):
    harness, name, variable = 'gemini', 'Gemini CLI', 'TROIKA_GEMINI_BIN'
    model, other_model = 'gemini-2.5-pro', 'gemini-2.5-flash'
    talks = False
    # Otherwise the CLI restarts itself as a child.
    quick = {'GEMINI_CLI_NO_RELAUNCH': 'true'}

    @property
    def first_answer(self):
        # It refuses commands until it has loaded its parser for them.
        return 2000 if self.number < (0, 24) else 0

    @property
    def can_bypass(self):
        # 0.20 asks on acp whatever its settings allow.
        return self.number >= (0, 35)

    def prepare(self, home, url, mcp):
        settings = {
            'security': {'auth': {'selectedType': 'gemini-api-key'}},
            'privacy': {'usageStatisticsEnabled': False},
            'telemetry': {'enabled': False},
            'general': {'enableAutoUpdate': False, 'disableAutoUpdate': True},
            # Some versions would download it.
            'tools': {'useRipgrep': False},
        }
        if mcp:
            settings['mcpServers'] = {mcp.name: mcp.settings()}
        write(f'{home}/.gemini/settings.json', json.dumps(settings))
        return {
            'GOOGLE_GEMINI_BASE_URL': url,
            'GEMINI_API_KEY': 'none',
            'GEMINI_TELEMETRY_ENABLED': 'false',
            'GEMINI_CLI_TRUST_WORKSPACE': 'true',
            'NO_BROWSER': '1',
        }

    def allow_everything(self, home, work):
        del work
        tools = ['run_shell_command', 'write_file', 'replace']
        path = f'{home}/.gemini/settings.json'
        with open(path) as file:
            settings = json.load(file)
        settings['tools']['allowed'] = tools
        write(path, json.dumps(settings))
        write(f'{home}/.gemini/policies/all.toml', ''.join(
            f'[[rule]]\ntoolName = "{tool}"\ndecision = "allow"\n'
            'priority = 900\n' for tool in tools))


KINDS = {kind.harness: kind for kind in (Codex, Claude, Gemini)}
