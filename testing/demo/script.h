// Defines the script of the demo's agent; docs/testing.md describes the syntax.
#ifndef TROIKA_TESTING_DEMO_SCRIPT_H_
#define TROIKA_TESTING_DEMO_SCRIPT_H_

#include "absl/strings/string_view.h"

namespace troika::demo {

inline constexpr absl::string_view kScript = R"script(
sleep 300
think This is a demo: no model is asked, and no command is run. I show what an\nagent's work looks like.
sleep 500
say I'll look around, write a note into this folder, and check it.
sleep 300
todo [>] Look around | [ ] Write a note | [ ] Check it
sleep 300
start-run ls -la
sleep 700
end-run => total 8\ndrwxr-xr-x 2 you you 4096 .\ndrwxr-xr-x 9 you you 4096 ..
sleep 500
todo [x] Look around | [>] Write a note | [ ] Check it
sleep 300
write troika-demo.md # Hello from the demo\n\nThis file was written by Troika's demo agent. Remove it when you like.\n
sleep 600
todo [x] Look around | [x] Write a note | [>] Check it
start-run grep -c demo troika-demo.md
sleep 900
end-run => 2
sleep 500
start-run ./run_tests
sleep 700
end-run => ./run_tests: No such file exit 127
sleep 400
think There are no tests here, and that is fine.
todo [x] Look around | [x] Write a note | [x] Check it
sleep 300
say Done. I wrote `troika-demo.md`.\n\nTry a prompt with one of the words **ask**, **question**, **fail** or **long**.
usage 18400 12200 1350
ok
== prompt ask
sleep 300
think I want to run a command, and need your leave for it.
sleep 300
say I'd like to run a command. May I?
ask Bash {"command":"make clean","description":"Remove what was built"}
sleep 300
run make clean => rm -rf build
sleep 300
say Thank you: done.
usage 2400 1200 150
ok
== prompt question
sleep 300
think I can't decide this alone.
sleep 300
question Which colour shall the button have? | Red | Green | Blue
sleep 400
say Thank you, that is what it will be.
usage 2600 1200 140
ok
== prompt fail
sleep 300
say I'll try.
start-run make
sleep 700
end-run => make: *** No rule to make target. Stop. exit 2
sleep 300
fail The model is overloaded. Please try again later.
== prompt long
sleep 300
say This takes a minute. You may interrupt me.
todo [>] First part | [ ] Second part | [ ] Third part
start-run sleep 20
sleep 20000
end-run
say A third is done.
todo [x] First part | [>] Second part | [ ] Third part
start-run sleep 20
sleep 20000
end-run
say Two thirds are done.
todo [x] First part | [x] Second part | [>] Third part
start-run sleep 20
sleep 20000
end-run
todo [x] First part | [x] Second part | [x] Third part
say That was a minute.
usage 9400 7200 650
ok
)script";

}  // namespace troika::demo

#endif  // TROIKA_TESTING_DEMO_SCRIPT_H_
