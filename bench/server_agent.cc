// The agent of the server's benchmark, in place of codex. It links only the C
// library, so that its own start and speed hardly count.
//
//   server_agent --version
//   server_agent ticks COUNT RATE   prints times, as a baseline for a bare pipe
//   server_agent exec …             plays a turn of `codex exec --json` by the
//                                   plan in TROIKA_BENCH_PLAN
//
// The plan is "COUNT BYTES RATE THEN": COUNT messages of BYTES bytes, RATE per
// second (0: as fast as possible), then `end` or `hang`. Message 0 precedes
// them. If BYTES is 1, it prints lines "y" instead of messages. A message's
// text begins with "@NANOS NUMBER ", where NANOS is the time of the write by
// the monotonic clock or, in message 0, of the program's start.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <string>

namespace {

// No benchmark lasts longer.
constexpr unsigned kMaxSeconds = 900;
constexpr size_t kBatch = 64 << 10;

struct Plan {
  long count = 0;
  int bytes = 0;
  long rate = 0;
  char then[8] = "end";
};

long long Now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void SleepUntil(long long nanos) {
  const timespec until = {.tv_sec = nanos / 1000000000,
                          .tv_nsec = nanos % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) !=
         0) {
  }
}

void Write(const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n =
        write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (n <= 0) exit(1);
    done += static_cast<size_t>(n);
  }
}

std::string Message(long number, long long nanos, int bytes) {
  if (bytes == 1) return "y\n";
  char text[64];
  const int n = snprintf(text, sizeof(text), "@%lld %ld ", nanos, number);
  std::string line = "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_" +
                     std::to_string(number) +
                     "\",\"type\":\"agent_message\",\"text\":\"" + text;
  if (n < bytes) line.append(static_cast<size_t>(bytes - n), 'x');
  return line + "\"}}\n";
}

void Ticks(long count, long rate) {
  const long long begin = Now();
  for (long i = 1; i <= count; ++i) {
    SleepUntil(begin + i * (1000000000LL / rate));
    Write(std::to_string(Now()) + "\n");
  }
}

void Play(const Plan& plan, long long began) {
  Write(
      "{\"type\":\"thread.started\",\"thread_id\":"
      "\"01990000-0000-7000-8000-000000000001\"}\n{\"type\":\"turn.started\"}"
      "\n" +
      Message(0, began, 0));
  const long long begin = Now();
  std::string batch;
  for (long i = 1; i <= plan.count; ++i) {
    if (plan.rate > 0) SleepUntil(begin + i * (1000000000LL / plan.rate));
    batch += Message(i, Now(), plan.bytes);
    if (plan.rate == 0 && batch.size() < kBatch && i < plan.count) continue;
    Write(batch);
    batch.clear();
  }
  while (strcmp(plan.then, "hang") == 0) pause();
  Write(
      "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,"
      "\"cached_input_tokens\":0,\"output_tokens\":1}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  const long long began = Now();
  alarm(kMaxSeconds);
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "--version") {
    puts("codex-cli 0.166.0");
  } else if (mode == "ticks" && argc == 4) {
    Ticks(atol(argv[2]), atol(argv[3]));
  } else if (mode == "exec") {
    Plan plan;
    const char* text = getenv("TROIKA_BENCH_PLAN");
    if (text == nullptr || sscanf(text, "%ld %d %ld %7s", &plan.count,
                                  &plan.bytes, &plan.rate, plan.then) != 4) {
      return 2;
    }
    Play(plan, began);
  } else {
    return 2;
  }
  return 0;
}
