"""Defines libraries and tests whose sources --config=asan compiles together."""

# Larger files bring little more, and take long to compile again.
_SOURCES_IN_A_FILE = 8

def _joined(name, srcs, separate, suffix):
    """Returns the sources to compile; some are joined if that is configured."""
    sources = [
        src
        for src in srcs
        if src.endswith(suffix) and not src.startswith((":", "//")) and
           src not in separate
    ]
    if len(sources) < 2:
        return srcs
    count = (len(sources) + _SOURCES_IN_A_FILE - 1) // _SOURCES_IN_A_FILE
    outs = ["unity/%s_%d%s" % (name, i, suffix) for i in range(count)]
    native.genrule(
        name = name + "_unity",
        srcs = sources,
        outs = outs,
        cmd = "python3 $(location //tools:unity.py) $(OUTS) -- $(SRCS)",
        tags = ["manual"],
        tools = ["//tools:unity.py"],
        visibility = ["//visibility:private"],
    )
    return select({
        "//tools:unity": outs + [src for src in srcs if src not in sources],
        "//conditions:default": srcs,
    })

def cc_library(name, srcs = [], separate = [], **kwargs):
    """Is Bazel's cc_library, but for sources that may be joined.

    Args:
      name: the target's name.
      srcs: the sources.
      separate: those that cannot be compiled together with others.
      **kwargs: as Bazel's.
    """
    native.cc_library(
        name = name,
        srcs = _joined(name, srcs, separate, ".cc"),
        **kwargs
    )

def cc_test(name, srcs, separate = [], **kwargs):
    """Is Bazel's cc_test, but for sources that may be joined.

    Args:
      name: the target's name.
      srcs: the sources.
      separate: those that cannot be compiled together with others.
      **kwargs: as Bazel's.
    """
    native.cc_test(
        name = name,
        srcs = _joined(name, srcs, separate, "_test.cc"),
        **kwargs
    )
