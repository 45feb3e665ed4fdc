"""How the programs are linked."""

# Sanitizers need their libraries as shared ones.
STATIC_UNLESS_SANITIZED = select({
    "//tools:sanitized": [],
    "//conditions:default": ["-static"],
})
