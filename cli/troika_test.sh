#!/bin/sh
# Runs the real program: exit codes, and what it says.
set -u
troika=$1
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
failed=0

# expect CODE TEXT ARGS...: the exit code, and a part of stdout and stderr.
expect() {
  code=$1 text=$2
  shift 2
  "$troika" "$@" >"$dir/output" 2>&1 <"$dir/input"
  got=$?
  if [ $got -ne "$code" ] || ! grep -qF -e "$text" "$dir/output"; then
    echo "FAILED: troika $*"
    echo "  exit code $got, expected $code and \"$text\" in:"
    sed 's/^/  | /' "$dir/output"
    failed=1
  fi
}

: >"$dir/empty"
printf '\n \n' >"$dir/blank"
cat >"$dir/input" <<'END'
{"type":"thread.started","thread_id":"t-1"}
{"type":"turn.started"}
not json
{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"hello"}}
{"type":"turn.completed","usage":{"input_tokens":1000000,"cached_input_tokens":0,"output_tokens":0},"brand_new":1}
END
echo '{"": {"input": 2, "output": 8}}' >"$dir/prices"

expect 2 'usage: troika COMMAND'
expect 0 'parse      turn' help
expect 0 'usage: troika parse' help parse
expect 0 'usage: troika parse' parse --help
expect 0 'troika 0.' version
expect 0 'troika 0.' --version
expect 2 'did you mean "parse"?' prase

# Wrong command lines, before any server is asked.
expect 2 'a task is needed' show
expect 2 'a task is needed' show ''
expect 2 'more than one task: a b' tail a b
expect 2 'exclude each other' show a --event 1.0 --record 1
expect 2 'is not a number' show a --record x
expect 2 'is not one of queued' tasks --state lost
expect 2 'not of the form key=value' tasks --label x
expect 2 '`troika show` shows one task' tasks latest
expect 2 'a task is needed' send
expect 2 'put quotes around it' send a b c
expect 2 'exclude each other' send a b --quiet --detach
expect 2 'auto_edit, full_auto, dangerous, native' resume a --edit-mode all
expect 2 'did you mean research?' resume a --edit-mode reserch
expect 2 'one of --allow, --deny, --always, --choice and --answer' respond a
expect 2 'one of --allow, --deny, --always, --choice and --answer' respond a --allow --deny
expect 2 '--reason goes with --deny' respond a --allow --reason x
expect 2 'is not a duration' stop a --grace 1
expect 2 'unknown flag --grace' interrupt a --grace 1s
expect 2 'a task is needed' rm
expect 2 'is not a time: write it as' usage --since yesterday
expect 2 'unexpected argument "codex"' harnesses codex
expect 2 'unexpected argument "now"' doctor now
expect 2 'say what to do: check, list, trust, untrust' policy
expect 2 'takes no arguments' token x
export TROIKA_URL=box
expect 2 'write it as http://HOST:PORT' tasks
export TROIKA_URL=http://127.0.0.1:1
expect 1 'check that it runs there' tasks
unset TROIKA_URL
export TROIKA_SERVER_BIN="$dir/none"
expect 1 'no troika-server at' serve
unset TROIKA_SERVER_BIN

expect 0 '"init":{"sessionId":"t-1"' parse --harness codex
expect 0 '"parseError":{' parse --harness codex -
expect 0 '"text":{"text":"hello"}' parse --harness=codex "$dir/input"
expect 0 '"taskId":"T7"' parse --harness codex --task-id T7
expect 0 'text text=hello' parse --harness codex --text
expect 0 'brand_new' parse --harness codex --unknown
expect 0 'line = unreadable' parse --harness codex --unknown
expect 0 '"count":1,' parse --harness codex --unknown --json
expect 0 '"costUsd":2,"costSource":"estimated"' \
  parse --harness codex --prices "$dir/prices"
expect 0 '"usage":{"total":{' parse --harness codex --resumed

expect 2 'there are: codex, claude, gemini' parse --harness copilot
expect 2 'there are: codex, claude, gemini' parse "$dir/input"
expect 2 'did you mean --harness?' parse --harnes codex
expect 2 'more than one file' parse --harness codex a b
expect 2 'exclude each other' parse --harness codex --text --unknown
expect 1 "read $dir/none: No such file" parse --harness codex "$dir/none"
expect 1 "read $dir: Is a directory" parse --harness codex "$dir"
expect 1 "$dir/empty is empty: no events" parse --harness codex "$dir/empty"
expect 1 "$dir/blank is empty: no events" parse --harness codex "$dir/blank"
expect 1 "read $dir/none: No such file" \
  parse --harness codex --prices "$dir/none"
expect 1 "$dir/input:" parse --harness codex --prices "$dir/input"
cp "$dir/empty" "$dir/input"
expect 1 'stdin is empty: no events' parse --harness gemini

exit $failed
