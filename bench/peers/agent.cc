// The agent of the comparison with peers. It links only the C library, so that
// its own start and speed hardly count. Its name decides what it plays:
//
//   claude    Claude Code with --input-format stream-json: many prompts
//   codex     codex exec --json: one prompt
//   other     an agent of the Agent Client Protocol: many prompts
//
// A prompt "emit COUNT RATE BYTES" makes it print COUNT events of about BYTES
// bytes, RATE per second (0: as fast as possible), each with a write of its
// own. The text of an event begins with "#NUMBER sent=NANOS main=NANOS ": the
// times of its write and of main(), by the monotonic clock. Numbers increase
// over all prompts of the process. "hang" makes a turn that never ends. Other
// prompts get an empty turn.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <string>

namespace {

// No benchmark lasts longer.
constexpr unsigned kMaxSeconds = 900;

enum class Wire { kClaude, kCodex, kAcp };

Wire wire;
long long main_nanos;
long next_number = 0;

long long Now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
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

// Returns the line of an event with this text.
std::string Event(const std::string& text) {
  const std::string number = std::to_string(next_number);
  switch (wire) {
    case Wire::kClaude:
      return "{\"type\":\"assistant\",\"message\":{\"id\":\"msg_" + number +
             "\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{"
             "\"type\":\"text\",\"text\":\"" +
             text + "\"}]}}\n";
    case Wire::kCodex:
      return "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_" + number +
             "\",\"type\":\"agent_message\",\"text\":\"" + text + "\"}}\n";
    case Wire::kAcp:
      break;
  }
  return "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{"
         "\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":"
         "\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"" +
         text + "\"}}}}\n";
}

std::string Stamp() {
  return "#" + std::to_string(next_number) + " sent=" + std::to_string(Now()) +
         " main=" + std::to_string(main_nanos) + " ";
}

void Emit(long count, double rate, size_t bytes) {
  const long long begin = Now();
  const size_t frame = Event("").size() + Stamp().size();
  const std::string padding(bytes > frame ? bytes - frame : 0, 'x');
  for (long i = 0; i < count; ++i) {
    if (rate > 0) {
      const long long at =
          begin + static_cast<long long>(static_cast<double>(i) * 1e9 / rate);
      const timespec until = {.tv_sec = at / 1000000000,
                              .tv_nsec = at % 1000000000};
      while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) !=
             0) {
      }
    }
    Write(Event(Stamp() + padding));
    ++next_number;
  }
}

void Turn(const char* line) {
  const char* const emit = strstr(line, "emit ");
  long count = 0;
  double rate = 0;
  size_t bytes = 0;
  if (emit != nullptr &&
      sscanf(emit, "emit %ld %lf %zu", &count, &rate, &bytes) == 3) {
    Emit(count, rate, bytes);
  }
  while (strstr(line, "hang") != nullptr) pause();
}

// Returns the JSON value after `key`, a string or a number, as it is written;
// empty if there is none.
std::string ValueOf(const char* line, const char* key) {
  const char* const found = strstr(line, key);
  if (found == nullptr) return "";
  const char* begin = found + strlen(key);
  while (*begin == ' ' || *begin == ':') ++begin;
  const char* const end =
      *begin == '"' ? strchr(begin + 1, '"') : strpbrk(begin, ",}\n") - 1;
  return end == nullptr ? "" : std::string(begin, end + 1);
}

void PlayCodex() {
  std::string prompt;
  char bytes[4096];
  ssize_t n = 0;
  while ((n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
    prompt.append(bytes, static_cast<size_t>(n));
  }
  Write(
      "{\"type\":\"thread.started\",\"thread_id\":"
      "\"01990000-0000-7000-8000-000000000001\"}\n"
      "{\"type\":\"turn.started\"}\n");
  Turn(prompt.c_str());
  Write(
      "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,"
      "\"cached_input_tokens\":0,\"output_tokens\":1}}\n");
}

void OnClaudeLine(const char* line, const std::string& session) {
  if (strstr(line, "\"control_request\"") != nullptr) {
    Write(
        "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\","
        "\"request_id\":" +
        ValueOf(line, "\"request_id\"") +
        ",\"response\":{\"commands\":[],\"agents\":[],\"models\":[]}}}\n");
  } else if (strstr(line, "\"user\"") != nullptr) {
    Write(
        "{\"type\":\"system\",\"subtype\":\"init\",\"cwd\":\"/\","
        "\"session_id\":\"" +
        session +
        "\",\"tools\":[],\"mcp_servers\":[],\"model\":\"fake\","
        "\"permissionMode\":\"default\"}\n");
    Turn(line);
    Write(
        "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,"
        "\"duration_ms\":1,\"num_turns\":1,\"result\":\"done\","
        "\"session_id\":\"" +
        session +
        "\",\"total_cost_usd\":0,\"usage\":{\"input_tokens\":1,"
        "\"output_tokens\":1}}\n");
  }
}

void OnAcpLine(const char* line) {
  const std::string id = ValueOf(line, "\"id\"");
  const std::string method = ValueOf(line, "\"method\"");
  if (id.empty() || method.empty()) return;
  std::string result = "{}";
  if (method == "\"initialize\"") {
    result =
        "{\"protocolVersion\":1,\"agentCapabilities\":{},\"_meta\":{"
        "\"stamp\":\"" +
        Stamp() + "\"}}";
  } else if (method == "\"session/new\"") {
    result = "{\"sessionId\":\"s1\"}";
  } else if (method == "\"session/prompt\"") {
    Turn(line);
    result = "{\"stopReason\":\"end_turn\"}";
  }
  Write("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}\n");
}

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  main_nanos = Now();
  alarm(kMaxSeconds);
  const std::string name = argc > 0 ? argv[0] : "";
  wire = EndsWith(name, "claude")  ? Wire::kClaude
         : EndsWith(name, "codex") ? Wire::kCodex
                                   : Wire::kAcp;
  std::string session = "01990000-0000-7000-8000-000000000002";
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--version") {
      puts(wire == Wire::kClaude ? "2.1.197 (Claude Code)"
                                 : "codex-cli 0.166.0");
      return 0;
    }
    const bool has_session = arg == "--session-id" || arg == "--resume";
    if (has_session && i + 1 < argc) session = argv[i + 1];
  }
  if (wire == Wire::kCodex) {
    PlayCodex();
    return 0;
  }
  char* line = nullptr;
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    if (wire == Wire::kClaude) {
      OnClaudeLine(line, session);
    } else {
      OnAcpLine(line);
    }
  }
  free(line);
  return 0;
}
