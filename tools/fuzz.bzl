"""Defines fuzz targets, and tests that run their corpora."""

def troika_fuzz(name, srcs, corpus = [], deps = []):
    """Makes a fuzzer of sources that define LLVMFuzzerTestOneInput.

    NAME is the program: with --config=fuzz a libFuzzer binary (tools/fuzz.sh
    builds and runs all of them), else one that runs the files it is given.
    NAME_corpus_test runs the whole corpus.

    Args:
      name: ends in _fuzz.
      srcs: the sources.
      corpus: labels of files to start from. The files of STEM_corpus/ are
        added, STEM being the name without _fuzz: inputs that once crashed, and
        other nasty ones, under names that say what is in them.
      deps: libraries.
    """
    if not name.endswith("_fuzz"):
        fail("a fuzz target's name ends in _fuzz: " + name)
    seeds = corpus + native.glob([name[:-len("_fuzz")] + "_corpus/**"])
    native.cc_binary(
        name = name,
        testonly = True,
        srcs = srcs,
        data = seeds,
        linkopts = select({
            "//tools:libfuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        tags = [
            "fuzz",
            "manual",
        ],
        deps = deps + select({
            "//tools:libfuzzer": [],
            "//conditions:default": ["//testing:fuzz_main"],
        }),
    )
    native.cc_test(
        name = name + "_corpus_test",
        size = "small",
        srcs = srcs,
        args = ["$(rootpaths %s)" % seed for seed in seeds],
        data = seeds,
        deps = deps + ["//testing:fuzz_main"],
    )
