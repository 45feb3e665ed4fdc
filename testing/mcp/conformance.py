"""The official conformance suite on POST /mcp.

Many of its scenarios call tools and read resources of the suite's own example
server, or use features that we do not advertise. They are listed here with the
reason, and fail if the reason is not the one that stands here.
"""
import glob
import json
import os
import re

REVISIONS = ('2025-11-25', '2026-07-28')

# Reasons, and the failures of checks that they explain.
REASONS = {
    'needs a tool of the example server':
        r"Unknown tool: |Not testable: |Tool '\w+' not found|"
        r'Prerequisite failed|Expected InputRequiredResult|fixture from Check|'
        r'tools/call for failing_job',
    'needs a resource of the example server': r'Resource not found: test://',
    'prompts are not advertised': r'Method not found: prompts/',
    'completions are not advertised': r'Method not found: completion/',
    'logging is not advertised': r'Method not found: logging/',
    'subscriptions to resources are not advertised to sessions':
        r'Method not found: resources/subscribe',
    'no tool has x-mcp-header': r'Not testable: .* x-mcp-header',
}
TOOL, RESOURCE, PROMPT, COMPLETION, LOGGING, SUBSCRIBE, HEADER = REASONS

# Scenarios that do not apply, and why.
NOT_APPLICABLE = {
    'completion-complete': COMPLETION,
    'elicitation-sep1034-defaults': TOOL,
    'elicitation-sep1330-enums': TOOL,
    'http-custom-header-server-validation': HEADER,
    'input-required-result-basic-elicitation': TOOL,
    'input-required-result-basic-list-roots': TOOL,
    'input-required-result-basic-sampling': TOOL,
    'input-required-result-capability-check': TOOL,
    'input-required-result-multi-round': TOOL,
    'input-required-result-multiple-input-requests': TOOL,
    'input-required-result-non-tool-request': PROMPT,
    'input-required-result-request-state': TOOL,
    'input-required-result-result-type': TOOL,
    'input-required-result-tampered-state': TOOL,
    'json-schema-2020-12': TOOL,
    'logging-set-level': LOGGING,
    'prompts-get-embedded-resource': PROMPT,
    'prompts-get-simple': PROMPT,
    'prompts-get-with-args': PROMPT,
    'prompts-get-with-image': PROMPT,
    'prompts-list': PROMPT,
    'resources-read-binary': RESOURCE,
    'resources-read-text': RESOURCE,
    'resources-subscribe': SUBSCRIBE,
    'resources-templates-read': RESOURCE,
    'resources-unsubscribe': SUBSCRIBE,
    'tasks-lifecycle': TOOL,
    'tasks-mrtr-composition': TOOL,
    'tasks-mrtr-input': TOOL,
    'tasks-request-state-removal': TOOL,
    'tasks-required-task-error': TOOL,
    'tasks-wire-fields': TOOL,
    'tools-call-audio': TOOL,
    'tools-call-elicitation': TOOL,
    'tools-call-embedded-resource': TOOL,
    'tools-call-error': TOOL,
    'tools-call-image': TOOL,
    'tools-call-mixed-content': TOOL,
    'tools-call-sampling': TOOL,
    'tools-call-simple-text': TOOL,
    'tools-call-with-logging': LOGGING,
    'tools-call-with-progress': TOOL,
}
# Scenarios of which some checks do not apply.
PARTLY_APPLICABLE = {
    'caching': PROMPT,
    'server-stateless': TOOL,
    'tasks-capability-negotiation': TOOL,
    'tasks-dispatch-and-envelope': TOOL,
    'tasks-request-headers': TOOL,
}


def judge(name, checks):
    """Returns the problems of a scenario."""
    reason = {**NOT_APPLICABLE, **PARTLY_APPLICABLE}.get(name)
    failures = [f'{check["id"]}: {check.get("errorMessage")}'
                for check in checks if check['status'] == 'FAILURE']
    if reason and not failures:
        return [f'it passes, so it is not true that it {reason}']
    return [failure for failure in failures
            if not (reason and re.search(REASONS[reason], failure))]


def was_tested(checks):
    """Whether a scenario did more than fail to find what it needs, which some
    scenarios only warn of."""
    statuses = {check['status'] for check in checks}
    return 'SUCCESS' in statuses and 'WARNING' not in statuses


def results(folder):
    """Yields the scenarios of a run, and their checks."""
    for path in sorted(glob.glob(os.path.join(folder, '*', 'checks.json'))):
        # server-NAME-TIME, and a time has its date first.
        scenario = os.path.basename(os.path.dirname(path))
        name = re.sub(r'^server-|-\d{4}-\d\d-\d\dT.*$', '', scenario)
        with open(path) as file:
            yield name, json.load(file)


def play(suite):
    # The suite reads a resource, if there is one.
    suite.world.create('say Hi.\nok')
    proxy = suite.node('proxy.mjs')
    try:
        port = int(proxy.stdout.readline())
        for revision in REVISIONS:
            run_revision(suite, revision, f'http://127.0.0.1:{port}/mcp')
    finally:
        proxy.kill()
        proxy.wait()
        proxy.stdout.close()


def run_revision(suite, revision, url):
    folder = os.path.join(suite.world.root, revision)
    # The exit code says that scenarios failed, which do not apply.
    _, text = suite.output(
        suite.program('conformance'), 'server', '--url', url,
        '--requirements', revision, '--output-dir', folder)
    ran = 0
    for name, checks in results(folder):
        ran += 1
        title = f'conformance {revision} {name}'
        problems = judge(name, checks)
        if problems:
            suite.outcomes.fail(title, '\n'.join(problems))
        elif name not in NOT_APPLICABLE and was_tested(checks):
            suite.outcomes.succeed(title)
    if ran < 30:
        raise AssertionError(f'only {ran} scenarios ran: {text[-4000:]}')
