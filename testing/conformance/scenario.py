"""Lists the scenarios, in the order of the table that a run makes."""


class Scenario:
    def __init__(self, name, title, group, play, sandboxed=False):
        self.name = name
        self.title = title
        self.group = group
        self.play = play
        self.sandboxed = sandboxed


ALL = []


def scenario(title, group='features', sandboxed=False):
    """Registers the decorated function, which plays a Case. Its result goes
    into the table: "yes" if it returns nothing, "no" if it raises Refused. A
    sandboxed scenario can't succeed unless the CLI's own sandbox works."""
    def add(play):
        ALL.append(Scenario(play.__name__, title, group, play, sandboxed))
        return play
    return add


def equal(found, wanted, what):
    if found != wanted:
        raise AssertionError(f'{what}: {found!r} and not {wanted!r}')


def holds(found, wanted, what):
    if wanted not in found:
        raise AssertionError(f'{what}: no {wanted!r} in {found!r}')
