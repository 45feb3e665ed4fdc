#!/bin/bash
# Runs tasks with the real programs, on fake CLIs.
set -u
troika=$PWD/$1
export TROIKA_SERVER_BIN=$PWD/$2 TROIKA_RELAY_BIN=$PWD/$3
export TROIKA_CODEX_BIN=$PWD/$4 TROIKA_CLAUDE_BIN=$PWD/$5
export TROIKA_GEMINI_BIN=$PWD/$6
scripts=$PWD/testing/fake/scripts
dir=$(mktemp -d)
export HOME=$dir/home TROIKA_HOME=$dir/troika TROIKA_FAKE_STATE=$dir/fake
unset NO_COLOR TROIKA_URL TROIKA_TOKEN
mkdir -p "$HOME" "$dir/work"
: >"$dir/output"
cd "$dir/work" || exit 1
failed=0

# The server of our folder; nothing where none runs.
server_pid() {
  for exe in /proc/[0-9]*/exe; do
    [ "$exe" -ef "$TROIKA_SERVER_BIN" ] || continue
    local pid=${exe%/exe}
    tr '\0' '\n' <"$pid/environ" 2>/dev/null |
      grep -qxF "TROIKA_HOME=$TROIKA_HOME" && echo "${pid#/proc/}"
  done
}

# shellcheck disable=SC2317  # The trap calls it.
finish() {
  local pid
  pid=$(server_pid)
  [ -z "$pid" ] || kill "$pid"
  [ "$failed" -eq 0 ] || sed 's/^/  log | /' "$TROIKA_HOME/server.log"
  rm -rf "$dir"
}
trap finish EXIT

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
  timeout 60 "$troika" "$@" >"$dir/output" 2>&1 </dev/null
  local got=$?
  [ $got -eq "$code" ] || fail "troika $*: exit code $got, expected $code"
  grep -qF -e "$text" "$dir/output" || fail "troika $*: no \"$text\" in:"
}

# until_shown TEXT: waits for it in the output.
until_shown() {
  for _ in $(seq 600); do
    grep -qF -e "$1" "$dir/output" && return
    sleep 0.05
  done
  fail "no \"$1\" came"
}

# until_state TASK STATE: waits for it.
until_state() {
  for _ in $(seq 600); do
    "$troika" show "$1" >"$dir/output" 2>&1
    grep -q "^state *$2" "$dir/output" && return
    sleep 0.05
  done
  fail "task $1 is not $2"
}

# Nothing there yet, and no server: one is started.
[ -z "$(server_pid)" ] || fail 'a server runs already'
expect 2 'no task' tail latest
[ -n "$(server_pid)" ] || fail 'no server was started'
expect 2 'no task' show latest
expect 0 'no tasks' tasks
expect 2 'the prompt is empty' run codex ''
expect 2 'does not exist' run codex --cwd "$dir/none" hi
expect 2 'there are: codex' run copilot hi
expect 2 'a task is needed' tail
expect 2 'not one of out, err, in, note' log x --stream all
expect 2 'is not one of queued' tasks --state lost
expect 0 'server 0.' version

play commands
for harness in codex claude gemini; do
  expect 0 'troika: task ' run $harness 'do it'
  expect 0 '✔ done' tail latest
  expect 0 '● Bash  cat missing.txt' tail latest -f
  expect 0 "\"harness\":\"$harness\"" log latest --stream note
  expect 0 '"taskId":"' tail latest --json
  expect 0 "$harness" tasks --harness $harness
done
expect 0 'All commands ran.' run claude --quiet 'do it'
[ "$(cat "$dir/output")" = 'All commands ran.' ] || fail '--quiet says more'
"$troika" run codex --quiet - <<<'from stdin' >"$dir/output" 2>&1
"$troika" log latest --stream in --raw >"$dir/output"
grep -q '^from stdin$' "$dir/output" || fail 'the prompt of stdin'
# heard TEXT: the agent got exactly this as its prompt.
heard() {
  printf %s "$1" >"$dir/wanted"
  "$troika" show latest --json | python3 -c \
    'import json, sys; sys.stdout.write(json.load(sys.stdin)["prompt"])' \
    >"$dir/output"
  cmp -s "$dir/wanted" "$dir/output" || fail "the prompt is not \"$1\""
}
printf ' a\n\tb\n\n' >"$dir/file"
"$troika" run codex --quiet 'explain' <"$dir/file" >/dev/null 2>&1
heard $'explain\n\n a\n\tb\n\n'
"$troika" run codex --quiet 'explain' < <(printf '\303\251') >/dev/null 2>&1
heard $'explain\n\né'
"$troika" run codex --quiet --no-stdin 'explain' <"$dir/file" >/dev/null 2>&1
heard 'explain'
"$troika" run codex --quiet 'explain' </dev/zero >/dev/null 2>&1
heard 'explain'
# A pipe that a parent keeps open.
mkfifo "$dir/pipe"
: >"$dir/output"
"$troika" run codex --quiet 'explain' <"$dir/pipe" >"$dir/output" 2>&1 &
pid=$!
exec 9>"$dir/pipe"
until_shown 'waiting for standard input'
printf x >&9
exec 9>&-
wait $pid
heard $'explain\n\nx'
head -c 9000000 /dev/zero | tr '\0' x >"$dir/file"
"$troika" run codex 'explain' <"$dir/file" >"$dir/output" 2>&1
[ $? -eq 2 ] || fail 'stdin over the limit: not exit code 2'
until_shown 'over the limit of 8 MiB'
rm "$dir/file" "$dir/pipe"
"$troika" run codex --quiet - <<<'from stdin' >"$dir/output" 2>&1
"$troika" log latest --stream out --raw |
  "$troika" parse --harness codex --text >"$dir/output"
grep -qF 'All commands ran.' "$dir/output" || fail 'log --raw into parse'
expect 0 $'\x1b[32m✔ done' tail latest --color always

# What is known of them.
expect 0 'answer     All commands ran.' show latest
expect 0 '"harness":"codex"' show latest --json
expect 0 '"id":"1.0"' show latest --event 1.0
expect 0 '"request"' show latest --record 1
expect 2 'exclude each other' show latest --event 1.0 --record 1
expect 0 'total' usage
expect 0 'VERSION' harnesses
# No fake is logged in.
expect 1 'none can be used' doctor
# They look with the caller's environment, as run does, and not the server's.
mkdir "$dir/bin"
for name in codex claude gemini; do
  variable=TROIKA_${name^^}_BIN
  ln -s "${!variable}" "$dir/bin/$name"
done
# own ARGS...: troika with an environment of its own; HOME is another one, too.
own() {
  env -u TROIKA_CODEX_BIN -u TROIKA_CLAUDE_BIN -u TROIKA_GEMINI_BIN \
    HOME="$dir/other" PATH="$dir/bin:$PATH" CODEX_API_KEY=k "$@"
}
own "$troika" harnesses >"$dir/output" 2>&1
[ "$(grep -c " $dir/bin/" "$dir/output")" -eq 3 ] || fail 'harnesses: not ours'
grep -q '^codex .* yes ' "$dir/output" || fail 'harnesses: not our login'
own "$troika" doctor >"$dir/output" 2>&1 || fail 'doctor: exit code'
grep -qF " at $dir/bin/codex, logged in" "$dir/output" || fail 'doctor: ours'
own TROIKA_CODEX_BIN="$dir/none" "$troika" harnesses >"$dir/output" 2>&1
grep -q '^codex .*not found' "$dir/output" || fail 'harnesses: one is missing'
own TROIKA_CODEX_BIN="$dir/none" "$troika" run codex x >"$dir/output" 2>&1
grep -qF "$dir/none" "$dir/output" || fail 'run: found another codex'

token=$("$troika" token)
[ ${#token} -ge 20 ] || fail "the token is \"$token\""

# More turns.
play two_turns
id=$("$troika" run claude --detach 'first')
[ "$id" = "$(printf %s "$id" | tr -cd 'a-z0-9')" ] || fail "the id is \"$id\""
until_state "$id" done
expect 0 'agent      waits for input' show "$id"
expect 2 "no turn of task $id runs" interrupt "$id"
expect 0 'done' wait "$id"
expect 0 "$id" tasks --state idle
expect 0 '✔ done' send "$id" 'second'
grep -qF 'first' "$dir/output" && fail 'send shows what was before'
expect 0 'turns      2' show "$id"
expect 0 "$id" stop "$id" --grace 0s
for _ in $(seq 600); do
  "$troika" show "$id" >"$dir/output" 2>&1
  grep -q '^agent *ended' "$dir/output" && break
  sleep 0.05
done
# The word does not change because its agent has ended since.
expect 0 'agent      ended; troika send starts it again' show "$id"
expect 0 'state      done' show "$id"
expect 0 "$id" tasks --state done
play commands
expect 0 '✔ done' resume "$id" 'third'
expect 0 'turns      3' show "$id"
echo 'of stdin' | "$troika" send "$id" --quiet 'fourth' >"$dir/output" 2>&1
expect 0 'fourth\n\nof stdin\n' log "$id" --stream in
"$troika" stop "$id" --grace 1s >"$dir/output" 2>&1
until_state "$id" '\(done\|[a-z]*ed\)'
echo 'more of it' | "$troika" resume "$id" --quiet 'fifth' >"$dir/output" 2>&1
expect 0 'fifth\n\nmore of it\n' log "$id" --stream in

# What the agent asks is answered from elsewhere.
play asks
: >"$dir/output"
"$troika" run claude --edit-mode auto_edit 'x' >"$dir/run" 2>&1 </dev/null &
pid=$!
id=
while [ -z "$id" ]; do
  sleep 0.05
  id=$(sed -n 's/^troika: task //p' "$dir/run")
done
until_state "$id" 'awaiting approval'
expect 0 "troika respond $id" show "$id"
expect 2 'no question' respond "$id" --answer 1
expect 0 '? approval needed (command): ' respond "$id" --allow
until_state "$id" 'awaiting answer'
expect 2 'there is no option 9' respond "$id" --answer 9
expect 0 "$id" respond "$id" --answer 2
wait $pid
[ $? -eq 0 ] || fail 'answered: not exit code 0'
cp "$dir/run" "$dir/output"
until_shown "answer it with: troika respond $id --allow"
until_shown '→ Leave it'

# A denial: the agent goes on, and nothing looks like success.
: >"$dir/run"
"$troika" run claude --edit-mode auto_edit 'x' >"$dir/run" 2>&1 </dev/null &
pid=$!
id=
while [ -z "$id" ]; do
  sleep 0.05
  id=$(sed -n 's/^troika: task //p' "$dir/run")
done
until_state "$id" 'awaiting approval'
expect 0 "$id" respond "$id" --deny --reason 'not that folder'
wait $pid
[ $? -eq 4 ] || fail 'denied: not exit code 4'
cp "$dir/run" "$dir/output"
until_shown '▲ done, but 1 denied: Bash'
expect 0 'state      denied' show "$id"
expect 0 'denied' tasks --state denied
expect 4 'denied' wait "$id"
expect 0 'not that folder' show "$id"
expect 4 '1 denied' tail "$id"

# What a mode does not allow is counted, with the flag that would.
export TROIKA_FAKE_SCRIPT=$dir/script
cat >"$dir/script" <<'END'
print {"type":"item.completed","item":{"id":"e","type":"file_change","changes":[{"path":"README.md","kind":"update"}],"status":"declined"}}
say I could not.
ok
END
expect 4 'research (read only)' run codex 'fix the readme'
grep -qF '▲ done, but 1 denied: Edit' "$dir/output" || fail 'no denial'
grep -qF -e '--edit-mode auto_edit would have allowed it' "$dir/output" ||
  fail 'no flag'
grep -qF '❯ fix the readme' "$dir/output" && fail 'the prompt is echoed'
expect 4 '❯ fix the readme' tail latest

# A pipe gets the agent's text as it came, and all of every output.
{
  printf 'run seq => %s' "$(seq -f 'line %g\n' 60 | tr -d '\n')"
  printf '\nsay # Head\\n\\n- **bold** `code`\nok\n'
} >"$dir/script"
expect 0 '# Head' run codex --edit-mode auto_edit 'x'
grep -qxF -- '- **bold** `code`' "$dir/output" || fail 'not as it came'
[ "$(grep -cE '^  (  |⎿ )line' "$dir/output")" -eq 60 ] || fail 'output is cut'
expect 0 'line 1' show latest "$("$troika" tail latest --json 2>/dev/null |
  python3 -c 'import json, sys
print([e["id"] for e in map(json.loads, sys.stdin) if "toolResult" in e][0])')"

# latest is that of the folder.
newest() { "$troika" tasks --limit 1 --json | cut -d '"' -f 4; }
here=$(newest)
play hello
mkdir "$dir/elsewhere"
(cd "$dir/elsewhere" && "$troika" run codex --quiet 'other' >/dev/null 2>&1)
expect 0 "troika: task $here: x" show latest
(cd / && "$troika" show latest) >"$dir/output" 2>&1
grep -qF "other (in $dir/elsewhere)" "$dir/output" || fail 'latest of all'

# What a task has used stays when it is deleted. No cost is no zero.
used() { "$troika" usage | awk '/^total/ {print $2, $3, $4, $5}'; }
before=$(used)
"$troika" rm "$here" || fail 'rm'
[ "$(used)" = "$before" ] || fail "usage: $(used) after rm, before: $before"
"$troika" usage >"$dir/output"
grep -q '^codex  *(default) .* –$' "$dir/output" || fail 'usage: no –'
echo '{"": {"input": 1000, "output": 1000}}' >"$dir/prices"
expect 0 'about $' usage --prices "$dir/prices"
expect 2 'Invalid value' usage --prices "$dir/run"

# What the agent may do, also by settings of the CLI.
play hello
"$troika" run codex --quiet --sandbox workspace-write 'x' >/dev/null 2>&1
expect 0 'may        sandbox workspace-write' show latest

# What was edited.
play approval_free
expect 0 'files changed' run claude --edit-mode full_auto 'x'
expect 0 '+def test_app():' diff latest
expect 0 '--- a/test_app.py' diff latest --turn 1
expect 2 'there is no turn 2: the task has 1' diff latest --turn 2
# The same from git: before the first commit, of files that it does not track
# and of staged ones. Neither the file nor the repository reaches the terminal.
export GIT_CEILING_DIRECTORIES=$dir
expect 128 'not a git repository' diff latest --git
git init -q
printf '[diff]\n\texternal = echo ran-by-git\n' >>.git/config
expect 0 '+def test_app():' diff latest --git
expect 0 $'\e[32m+def test_app():' diff latest --git --color always
printf 'def \e]0;title\a\n' >test_app.py
git add test_app.py
expect 0 '+def ␛]0;title␇' diff latest --git
grep -q ran-by-git "$dir/output" && fail "the repository's diff program ran"
git -c user.name=a -c user.email=a@b commit -qm one
echo 'def changed():' >test_app.py
expect 0 '+def changed():' diff latest --git
rm -rf .git
expect 2 'did you mean "claude"?' run cluade 'x'
expect 0 "runs as process $(server_pid)" server status

# Defaults of the configuration.
mkdir -p "$HOME/.config/troika"
printf '[run]\nharness = "codex"\n' >"$HOME/.config/troika/config.toml"
play hello
expect 0 'Hello from the fake.' run --quiet 'x'
expect 0 '[run]' config
TROIKA_HARNESS=gemini expect 0 'TROIKA_HARNESS' config
echo '[rum]' >"$HOME/.config/troika/config.toml"
expect 2 'config.toml:1: unknown key "rum"' run --quiet 'x'
rm "$HOME/.config/troika/config.toml"

# Tasks as they change, and as they are deleted.
play commands
timeout 60 "$troika" tasks -f --limit 1 >"$dir/output" 2>&1 &
pid=$!
until_shown 'STATE'
"$troika" run gemini --quiet 'a new one' >"$dir/run" 2>&1
until_shown 'a new one'
"$troika" rm "$(newest)"
until_shown '  deleted'
kill -TERM $pid
wait $pid
[ $? -eq 143 ] || fail 'tasks -f: not exit code 143'

# What went wrong, in the exit code.
play fails
expect 1 '✘ failed: The model is overloaded' run gemini 'do it'
expect 1 'hint: ' run claude --quiet 'do it'
play hangs
expect 124 'the turn deadline of 300ms passed' run codex --timeout 300ms 'x'
expect 124 'deadline' tail latest
expect 124 'failed' wait latest
# An agent that speaks of a deadline has missed none of ours.
echo 'fail Over the deadline of your quota.' >"$dir/quota"
TROIKA_FAKE_SCRIPT=$dir/quota expect 1 'deadline of your' run claude 'x'
id=$(newest)
expect 1 'failed' wait "$id"
hanging=$("$troika" run claude --detach 'x')
expect 1 '1 of 2 tasks still work' wait "$id" "$hanging" --timeout 5s

# A server that does not answer.
: >"$dir/output"
env --default-signal=INT "$troika" run claude 'x' >"$dir/output" 2>&1 &
pid=$!
until_shown 'sleep 1000000'
server=$(server_pid)
kill -STOP "$server"
kill -INT $pid
until_shown 'interrupting the agent'
kill -INT $pid
until_shown 'stopping the agent'
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail 'a third Ctrl-C: not exit code 130'
[ "$(grep -c '^troika:' "$dir/output")" -eq 4 ] ||
  fail 'Ctrl-C waited for the server'
expect 124 'the server does not answer' wait latest --timeout 3s
expect 1 "the server does not answer: process $server" server status
kill -CONT "$server"
expect 0 "$hanging" stop "$hanging" --grace 0s

# Ctrl-C; a shell would have it ignored in the background.
: >"$dir/output"
env --default-signal=INT "$troika" run claude 'x' >"$dir/output" 2>&1 &
pid=$!
until_shown 'sleep 1000000'
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "interrupted: not exit code 130"
grep -qF '■ interrupted by user' "$dir/output" || fail 'interrupted'

# Inputs that wait for the end of a turn.
id=$("$troika" run codex --wire exec --detach 'x')
until_state "$id" running
expect 2 'use --queue' send "$id" --steer 'now'
expect 2 'exclude each other' send "$id" --steer --queue 'now'
expect 0 "$id" send "$id" --detach 'second'
expect 0 "$id" send "$id" --detach --queue 'third'
expect 0 'in-3  user  third' queue "$id"
expect 0 'in-2  user  edited' queue "$id" --edit in-2 'edited'
expect 0 'in-2' queue "$id" --remove in-3
expect 2 'does not wait any more' queue "$id" --remove in-3
expect 2 'no input in-9' queue "$id" --remove in-9
expect 0 '1 input waits' show "$id"
expect 0 '"text":"edited"' queue "$id" --json
expect 0 "$id" interrupt "$id"
until_state "$id" interrupted
expect 0 'the queue is held' queue "$id"
expect 0 'no input waits' queue "$id" --remove in-2

# The same from elsewhere; a task that lives is not deleted.
id=$("$troika" run claude --detach 'x')
until_state "$id" running
expect 2 'stop' rm "$id"
expect 0 "$id" interrupt "$id"
until_state "$id" interrupted
expect 0 'agent      waits for input' show "$id"
"$troika" rm --force "$id" >"$dir/output" 2>&1 || fail 'rm --force'
expect 2 'no task' show "$id"

# We leave, and the agent goes on.
play slow
: >"$dir/output"
"$troika" run codex 'x' >"$dir/output" 2>&1 &
pid=$!
until_shown 'Find the bug'
kill -TERM $pid
wait $pid
[ $? -eq 143 ] || fail "told to leave: not exit code 143"
id=$(sed -n 's/^troika: leaving.*troika tail \(.*\) -f$/\1/p' "$dir/output")
expect 0 'All 4 tests pass' tail "${id:-none}" -f

# The server is killed while we watch, and nothing is missed.
: >"$dir/output"
"$troika" run codex 'x' >"$dir/output" 2>&1 &
pid=$!
until_shown 'Find the bug'
kill -KILL "$(server_pid)"
wait $pid
[ $? -eq 0 ] || fail 'the server was killed: not exit code 0'
grep -qF 'All 4 tests pass' "$dir/output" || fail 'missed what came then'
[ "$(grep -c '✔ done' "$dir/output")" -eq 1 ] || fail 'shown twice'

# Our reader leaves, and the agent goes on.
play commands
"$troika" run codex 'x' 2>"$dir/output" | true
[ "${PIPESTATUS[0]}" -eq 0 ] || fail 'a reader that leaves is no failure'
expect 0 '✔ done' tail latest -f

# Damage stands where it is.
log=$(printf "%s\n" "$TROIKA_HOME"/tasks/*/log.v1 | tail -1)
sed -i '4s/x/y/' "$log"
expect 1 'damage after record 2' log latest

# A task that has lost its log has no event that ends it, and yet tail ends.
kill -KILL "$(server_pid)"
: >"$log"
rm -f "$(dirname "$log")"/events.v1
id=$(basename "$(dirname "$log")")
expect 1 'the task is failed: ' tail "$id" -f
expect 1 'the task is failed: ' tail "$id"

exit $failed
