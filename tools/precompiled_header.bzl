"""Compiles headers of libraries once for all files of a configuration."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _precompiled_header_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    output = ctx.actions.declare_file(ctx.label.name)
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        use_pic = True,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts,
    )
    flags = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = "c++-compile",
        variables = variables,
    )
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = "c++-compile",
        ),
        arguments = flags + [
            # Omits times, because they differ between checkouts and Bazel
            # compares contents.
            "-Xclang",
            "-fno-pch-timestamp",
            "-fpch-instantiate-templates",
        ] + [
            word
            for header in ctx.attr.headers[:-1]
            for word in ["-include", header]
        ] + [
            # Clang records the path of the file that it compiles, and a file
            # of ours has another path in each checkout and sandbox.
            "-x",
            "c++-header",
            "/usr/include/" + ctx.attr.headers[-1],
            "-o",
            output.path,
        ],
        inputs = depset(ctx.files.inputs, transitive = [toolchain.all_files]),
        outputs = [output],
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling headers of libraries",
        env = {"PATH": "/usr/bin:/bin"},
    )
    return [DefaultInfo(files = depset([output]))]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "headers": attr.string_list(
            doc = "Headers of libraries, as they are included.",
            mandatory = True,
        ),
        "inputs": attr.label_list(
            allow_files = True,
            doc = "All headers that these include, so that new ones are seen.",
        ),
        "copts": attr.string_list(),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
