"""Rules that the events of every task obey."""

# Codex 0.124 reports the end of a declined edit twice, and that of a command
# that it left in the background after the turn.
LATE = 'its tool use has a result already'


def only(events, kind):
    return [event[kind] for event in events if kind in event]


def check(events, turns):
    """Returns the violations, one per line."""
    wrong = []
    ids = [tuple(map(int, event['id'].split('.'))) for event in events]
    if ids != sorted(set(ids)):
        wrong.append('events are not in order, or come twice')
    wrong += check_tools(events)
    wrong += check_turns(events, turns)
    for bad in only(events, 'parseError'):
        wrong.append(f'a line could not be read: {bad}')
    for raw in only(events, 'raw'):
        if raw['type'] == 'stderr' or raw.get('reason') == LATE:
            continue  # stderr may contain anything.
        wrong.append(f'a line is not known: {raw}')
    return wrong + check_usage(events)


def check_turns(events, turns):
    """Every turn has a result. An agent may start additional turns when a
    background command of its own has ended."""
    results = len(only(events, 'result'))
    own = sum(notice['kind'] == 'background_task' and
              notice['text'].startswith('notification:')
              for notice in only(events, 'notice'))
    if turns <= results <= turns + own:
        return []
    return [f'{turns} turns have {results} results']


def check_tools(events):
    """Every tool use is followed by exactly one result."""
    wrong, uses, done = [], {}, set()
    for event in events:
        if 'toolUse' in event:
            use = event['toolUse']
            if use['id'] in uses:
                wrong.append(f'the tool use {use["id"]} comes twice')
            uses[use['id']] = use
        elif 'toolResult' in event:
            use = event['toolResult']['toolUseId']
            if use not in uses:
                wrong.append(f'a result of {use}, which was not used')
            elif use in done:
                wrong.append(f'two results of {use}')
            done.add(use)
    return wrong + [f'no result of {use}' for id, use in uses.items()
                    if id not in done]


def check_usage(events):
    """The last total is the sum of the turns, if these are known."""
    usages = [result['usage'] for result in only(events, 'result')
              if 'usage' in result]
    if not usages or not all('turn' in usage for usage in usages):
        return []
    wrong = []
    for name in ('inputTokens', 'cachedInputTokens', 'outputTokens'):
        parts = sum(int(usage['turn'][name]) for usage in usages)
        total = int(usages[-1]['total'][name])
        if parts != total:
            wrong.append(f'{name}: the turns have {parts}, the total {total}')
    return wrong
