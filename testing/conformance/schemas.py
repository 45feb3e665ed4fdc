"""Makes values of a JSON schema, and checks values against one; as much of it
as the schemas of `codex app-server generate-json-schema` use."""

TYPES = {
    'object': dict, 'array': list, 'string': str, 'boolean': bool,
    'integer': int, 'number': (int, float), 'null': type(None),
}
# A schema may contain itself.
MAX_DEPTH = 12


def resolve(schema, root):
    while isinstance(schema, dict) and '$ref' in schema:
        found = root
        for part in schema['$ref'].removeprefix('#/').split('/'):
            found = found[part]
        schema = found
    return schema if isinstance(schema, dict) else {}


def types_of(schema):
    named = schema.get('type', [])
    return named if isinstance(named, list) else [named]


def sample(schema, root, whole, depth=0):
    """Returns a value of the schema: with all properties if `whole`, else with
    the required ones only."""
    schema = resolve(schema, root)
    if 'const' in schema:
        return schema['const']
    if schema.get('enum'):
        return schema['enum'][0]
    if schema.get('allOf'):
        parts = [sample(s, root, whole, depth + 1) for s in schema['allOf']]
        if len(parts) == 1:
            return parts[0]
        return {k: v for part in parts for k, v in part.items()}
    base = {}
    for choice in ('oneOf', 'anyOf'):
        if schema.get(choice):
            variants = [resolve(s, root) for s in schema[choice]]
            nullable = any('null' in types_of(v) for v in variants)
            if nullable and not whole:
                return None
            full = [v for v in variants if types_of(v) != ['null']]
            base = sample(full[0], root, whole, depth + 1)
            if not isinstance(base, dict):
                return base
    types = types_of(schema)
    if 'null' in types and not whole:
        return None
    kind = next((t for t in types if t != 'null'), None)
    if kind == 'string':
        return 'text'
    if kind in ('integer', 'number'):
        return max(1, int(schema.get('minimum') or 1))
    if kind == 'boolean':
        return True
    if kind == 'array':
        if not whole or depth > MAX_DEPTH:
            return []
        items = schema.get('items', {})
        return [sample(items, root, whole, depth + 1)]
    made = dict(base)
    for name, property in schema.get('properties', {}).items():
        required = name in schema.get('required', ())
        if required or (whole and depth < MAX_DEPTH):
            made[name] = sample(property, root, whole, depth + 1)
    return made


def faults(value, schema, root, where='value'):
    """Returns what is wrong with a value, one thing per line."""
    if schema is True:
        return []
    schema = resolve(schema, root)
    if 'const' in schema and value != schema['const']:
        return [f'{where} is {value!r} and not {schema["const"]!r}']
    if 'enum' in schema and value not in schema['enum']:
        return [f'{where} is {value!r} and none of {schema["enum"]}']
    wrong = []
    for part in schema.get('allOf', ()):
        wrong += faults(value, part, root, where)
    for choice in ('oneOf', 'anyOf'):
        if choice in schema:
            tried = [faults(value, s, root, where) for s in schema[choice]]
            if all(tried):
                wrong.append(f'{where} is no variant of {choice}: {value!r}')
    types = types_of(schema)
    if types and not any(is_a(value, t) for t in types):
        return wrong + [f'{where} is {value!r} and no {" or ".join(types)}']
    if isinstance(value, dict):
        wrong += [f'{where}.{name} is missing'
                  for name in schema.get('required', ()) if name not in value]
        properties = schema.get('properties', {})
        for name, member in value.items():
            inside = properties.get(
                name, schema.get('additionalProperties', True))
            if inside is False:
                wrong.append(f'{where}.{name} is not known')
            else:
                wrong += faults(member, inside, root, f'{where}.{name}')
    if isinstance(value, list) and 'items' in schema:
        for i, item in enumerate(value):
            wrong += faults(item, schema['items'], root, f'{where}[{i}]')
    return wrong


def is_a(value, kind):
    if isinstance(value, bool) and kind != 'boolean':
        return False
    return isinstance(value, TYPES[kind])
