#!/bin/bash
# Runs tasks with the real program and relay, on fake CLIs.
set -u
troika=$PWD/$1
export TROIKA_RELAY_BIN=$PWD/$2
export TROIKA_CODEX_BIN=$PWD/$3 TROIKA_CLAUDE_BIN=$PWD/$4
export TROIKA_GEMINI_BIN=$PWD/$5
scripts=$PWD/testing/fake/scripts
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
export HOME=$dir/home TROIKA_HOME=$dir/troika TROIKA_FAKE_STATE=$dir/fake
unset NO_COLOR
mkdir -p "$HOME" "$dir/work"
cd "$dir/work" || exit 1
failed=0

fail() {
  echo "FAILED: $*"
  sed 's/^/  | /' "$dir/output"
  failed=1
}

play() { export TROIKA_FAKE_SCRIPT=$scripts/$1; }

# expect CODE TEXT ARGS...: the exit code, and a part of stdout and stderr.
expect() {
  local code=$1 text=$2
  shift 2
  timeout 30 "$troika" "$@" >"$dir/output" 2>&1 </dev/null
  local got=$?
  [ $got -eq "$code" ] || fail "troika $*: exit code $got, expected $code"
  grep -qF -e "$text" "$dir/output" || fail "troika $*: no \"$text\" in:"
}

# until TEXT: waits for it in the output.
until_shown() {
  for _ in $(seq 300); do
    grep -qF -e "$1" "$dir/output" && return
    sleep 0.05
  done
  fail "no \"$1\" came"
}

expect 2 'no task in' tail latest
expect 2 'no task in' log latest
expect 2 'the prompt is empty' run codex ''
expect 2 'does not exist' run codex --cwd "$dir/none" hi
expect 2 'there are: codex' run copilot hi
expect 2 'a task is needed' tail
expect 2 'none of out, err, in, note' log x --stream all

play commands
for harness in codex claude gemini; do
  expect 0 'troika: task ' run $harness 'do it'
  expect 0 '✔ done' tail latest
  expect 0 '● Bash  cat missing.txt' tail latest -f
  expect 0 "\"harness\":\"$harness\"" log latest --stream note
  expect 0 '"taskId":"' tail latest --json
done
expect 0 'All commands ran.' run claude --quiet 'do it'
[ "$(cat "$dir/output")" = 'All commands ran.' ] || fail '--quiet says more'
"$troika" run codex --quiet - <<<'from stdin' >"$dir/output" 2>&1
"$troika" log latest --stream in --raw >"$dir/output"
grep -q '^from stdin$' "$dir/output" || fail 'the prompt of stdin'
"$troika" log latest --stream out --raw |
  "$troika" parse --harness codex --text >"$dir/output"
grep -qF 'All commands ran.' "$dir/output" || fail 'log --raw into parse'
expect 0 $'\x1b[32m✔ done' tail latest --color always

# What went wrong, in the exit code.
play fails
expect 1 '✘ failed: The model is overloaded' run gemini 'do it'
expect 1 'hint: ' run claude --quiet 'do it'
play hangs
expect 124 'the turn deadline of 300ms passed' run codex --timeout 300ms 'x'
expect 124 'deadline' tail latest

# Ctrl-C; a shell would have it ignored in the background.
env --default-signal=INT "$troika" run claude 'x' >"$dir/output" 2>&1 &
pid=$!
until_shown 'sleep 1000000'
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "interrupted: not exit code 130"
grep -qF '■ interrupted by user' "$dir/output" || fail 'interrupted'

# We leave, and the agent goes on.
play slow
"$troika" run codex 'x' >"$dir/output" 2>&1 &
pid=$!
until_shown 'Find the bug'
kill -TERM $pid
wait $pid
[ $? -eq 143 ] || fail "told to leave: not exit code 143"
id=$(sed -n 's/^troika: leaving.*troika tail \(.*\) -f$/\1/p' "$dir/output")
expect 0 'All 4 tests pass' tail "${id:-none}" -f

# We leave while the agent starts: it gets its prompt first.
play commands
printf '#!/bin/sh\nsleep 1\nexec "%s" "$@"\n' "$TROIKA_RELAY_BIN" \
  >"$dir/relay"
chmod +x "$dir/relay"
for signals in TERM 'INT INT INT'; do
  : >"$dir/output"
  TROIKA_RELAY_BIN=$dir/relay env --default-signal=INT \
    "$troika" run codex 'x' >"$dir/output" 2>&1 &
  pid=$!
  until_shown 'troika: task '
  sleep 0.3
  for signal in $signals; do
    kill -"$signal" "$pid"
    sleep 0.1
  done
  wait $pid
  code=$?
  if [ "$signals" = TERM ]; then
    [ $code -eq 143 ] || fail "told to leave early: exit code $code, not 143"
    grep -qF 'leaving as soon as' "$dir/output" || fail 'leaving early'
    grep -qF 'the agent goes on' "$dir/output" || fail 'left too early'
    expect 0 '✔ done' tail latest -f
  else
    [ $code -eq 130 ] || fail "third Ctrl-C: exit code $code, not 130"
    expect 130 'by user' tail latest -f
  fi
done

# A log that can't be written is told to everybody who watches.
printf '#!/bin/sh\ntrap "" XFSZ\nulimit -f 8\nexec "%s" "$@"\n' \
  "$TROIKA_RELAY_BIN" >"$dir/relay"
play floods
: >"$dir/output"
TROIKA_RELAY_BIN=$dir/relay "$troika" run codex 'x' >"$dir/output" 2>&1 &
pid=$!
until_shown "its log can't be written"
timeout 3 "$troika" tail latest -f >"$dir/output" 2>&1
grep -qF "its log can't be written" "$dir/output" || fail 'trouble in tail'
kill -TERM $pid
wait $pid
play commands

# A task that nobody starts.
expect 0 '✔ done' run codex 'name the files'
log=$(printf "%s\n" "$TROIKA_HOME"/tasks/*/log.v1 | tail -1)
cp "$log" "$dir/whole"
head -3 "$dir/whole" >"$log"
expect 0 '❯ name the files' tail latest
expect 1 'the task was never started' tail latest -f
printf 'half a rec' >>"$log"
expect 0 'the log is damaged here: 10 bytes' tail latest
expect 1 'the log is damaged here: 10 bytes' tail latest -f

# A folder without a log.
rm "$log"
expect 1 'has no log' tail latest
expect 1 'has no log' log latest
cp "$dir/whole" "$log"

# Our reader leaves, and the agent goes on.
play commands
"$troika" run codex 'x' 2>"$dir/output" | true
[ "${PIPESTATUS[0]}" -eq 0 ] || fail 'a reader that leaves is no failure'
expect 0 '✔ done' tail latest -f

# Damage stands where it is.
log=$(printf "%s\n" "$TROIKA_HOME"/tasks/*/log.v1 | tail -1)
sed -i '4s/x/y/' "$log"
expect 1 'damage after record 2' log latest

exit $failed
