#include "testing/model/expect.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "testing/model/native.h"
#include "testing/model/script_text.h"

namespace troika::model {
namespace {

constexpr size_t kMostShown = 600;

// Returns the indented text, shortened in the middle if it is long.
std::string Shown(absl::string_view text) {
  std::string shown(text);
  if (text.size() > kMostShown) {
    const size_t half = kMostShown / 2;
    shown = absl::StrCat(text.substr(0, half), "\n… ", text.size() - 2 * half,
                         " bytes more …\n", text.substr(text.size() - half));
  }
  shown = json::ToValidUtf8(shown);
  return absl::StrCat("  | ", absl::StrReplaceAll(shown, {{"\n", "\n  | "}}));
}

std::string ShownAll(const std::vector<std::string>& texts) {
  if (texts.empty()) return "  (none)";
  std::vector<std::string> shown;
  // The newest texts are the most informative.
  const size_t first = texts.size() > 5 ? texts.size() - 5 : 0;
  for (size_t i = first; i < texts.size(); ++i) {
    shown.push_back(Shown(texts[i]));
  }
  return absl::StrJoin(shown, "\n  --\n");
}

std::string ToolNames(const Request& request) {
  std::vector<std::string> names;
  for (const Tool& tool : request.tools) {
    names.push_back(tool.space.empty()
                        ? tool.name
                        : absl::StrCat(tool.space, "/", tool.name));
  }
  return names.empty() ? "(none)" : absl::StrJoin(names, " ");
}

bool Offers(const Request& request, absl::string_view name) {
  for (const absl::string_view native : NativeNames(name)) {
    for (const Tool& tool : request.tools) {
      if (tool.name == native ||
          absl::StrCat(tool.space, "/", tool.name) == native) {
        return true;
      }
    }
  }
  return false;
}

bool AnyMatches(absl::string_view pattern,
                const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return script::Matches(pattern, text);
  });
}

// Checks expectations in order and counts the results that it has compared.
class Checker {
 public:
  Checker(const Request& request, const http::Request& http,
          absl::string_view folder)
      : request_(request), http_(http), folder_(folder) {}

  // Returns an empty string if the expectation holds.
  std::string Check(const Expectation& expectation);

 private:
  std::string Holds(absl::string_view what, absl::string_view pattern,
                    const std::vector<std::string>& texts) const;
  std::string HoldsNot(absl::string_view what, absl::string_view pattern,
                       const std::vector<std::string>& texts) const;
  std::string Setting(absl::string_view what, absl::string_view pattern,
                      const std::string& value) const;
  std::string Count(absl::string_view what, int64_t expected,
                    size_t found) const;
  std::string Result(absl::string_view pattern);
  std::string OffersTool(absl::string_view name) const;
  std::vector<std::string> Texts(Part::Type type) const;

  const Request& request_;
  const http::Request& http_;
  const absl::string_view folder_;
  size_t results_ = 0;
};

std::string Checker::Holds(absl::string_view what, absl::string_view pattern,
                           const std::vector<std::string>& texts) const {
  if (AnyMatches(pattern, texts)) return "";
  return absl::StrCat("expected ", what, " with:\n", Shown(pattern),
                      "\nbut came:\n", ShownAll(texts));
}

std::string Checker::HoldsNot(absl::string_view what, absl::string_view pattern,
                              const std::vector<std::string>& texts) const {
  for (const std::string& text : texts) {
    if (!script::Matches(pattern, text)) continue;
    const size_t at = text.find(std::string(pattern));
    const size_t from = at == std::string::npos || at < 100 ? 0 : at - 100;
    return absl::StrCat("expected ", what, " without:\n", Shown(pattern),
                        "\nbut it is there:\n",
                        Shown(text.substr(from, pattern.size() + 300)));
  }
  return "";
}

std::string Checker::Setting(absl::string_view what, absl::string_view pattern,
                             const std::string& value) const {
  if (value.empty()) {
    return absl::StrCat(
        "expected ", what, ":\n", Shown(pattern),
        "\nbut the request has none (wire: ", WireName(request_.wire), ")");
  }
  return Holds(what, pattern, {value});
}

std::string Checker::Count(absl::string_view what, int64_t expected,
                           size_t found) const {
  if (static_cast<int64_t>(found) == expected) return "";
  return absl::StrCat("expected ", what, ": ", expected,
                      "\nbut it is: ", found);
}

std::string Checker::Result(absl::string_view pattern) {
  const std::vector<std::string> results = NewResults(request_);
  const size_t index = results_++;
  if (index < results.size() && script::Matches(pattern, results[index]))
    return "";
  return absl::StrCat("expected result ", index + 1, " of the last answer's ",
                      "tools with:\n", Shown(pattern),
                      "\nbut the results are:\n", ShownAll(results));
}

std::string Checker::OffersTool(absl::string_view name) const {
  if (Offers(request_, name)) return "";
  return absl::StrCat("expected the tool ", name, " (",
                      absl::StrJoin(NativeNames(name), ", "),
                      ")\nbut offered are: ", ToolNames(request_));
}

std::vector<std::string> Checker::Texts(Part::Type type) const {
  std::vector<std::string> texts;
  for (const Part& part : request_.parts) {
    if (part.type == type) texts.push_back(part.text);
  }
  return texts;
}

size_t LongestText(const std::vector<std::string>& texts) {
  size_t longest = 0;
  for (const std::string& text : texts) {
    // CLIs append up to two newlines.
    longest = std::max(longest, text.find_last_not_of('\n') + 1);
  }
  return longest;
}

std::string Checker::Check(const Expectation& expectation) {
  const std::string text =
      WithFolder(expectation.text, TextForm::kPattern, folder_);
  switch (expectation.subject) {
    case Subject::kPrompt: {
      const std::string prompt = absl::StrJoin(PromptTexts(request_), "\n");
      return Holds("a prompt", text, {prompt});
    }
    case Subject::kPromptBytes:
      return Count("a prompt of bytes", expectation.number,
                   LongestText(PromptTexts(request_)));
    case Subject::kHistory:
      return Holds("a text in the conversation", text,
                   Texts(Part::Type::kText));
    case Subject::kResult:
      return Result(text);
    case Subject::kResults:
      return Count("results", expectation.number, NewResults(request_).size());
    case Subject::kSystem:
      return Holds("instructions", text, request_.system);
    case Subject::kNoSystem:
      return HoldsNot("instructions", text, request_.system);
    case Subject::kTool:
      return OffersTool(text);
    case Subject::kNoTool:
      return Offers(request_, text)
                 ? absl::StrCat("expected no tool ", text,
                                "\nbut offered are: ", ToolNames(request_))
                 : "";
    case Subject::kModel:
      return Setting("a model", text, request_.model);
    case Subject::kEffort:
      return Setting("an effort", text, request_.effort);
    case Subject::kVerbosity:
      if (request_.wire != Wire::kResponses) {
        return absl::StrCat(
            "expected a verbosity:\n", Shown(text),
            "\nbut this wire has no such thing: ", WireName(request_.wire));
      }
      return Setting("a verbosity", text, request_.verbosity);
    case Subject::kImage:
      return Holds("an image", text, Texts(Part::Type::kImage));
    case Subject::kBody:
      return Holds("a body", text, {http_.body});
    case Subject::kNoBody:
      return HoldsNot("a body", text, {http_.body});
    case Subject::kHeader:
      return Setting(absl::StrCat("a header ", expectation.name), text,
                     std::string(http_.Header(expectation.name)));
  }
  return "";
}

}  // namespace

std::vector<Mismatch> CheckExpectations(const Answer& answer,
                                        const Request& request,
                                        const http::Request& http,
                                        absl::string_view folder) {
  Checker checker(request, http, folder);
  std::vector<Mismatch> mismatches;
  for (const Expectation& expectation : answer.expectations) {
    std::string text = checker.Check(expectation);
    if (!text.empty()) {
      mismatches.push_back({expectation.line, std::move(text)});
    }
  }
  return mismatches;
}

std::string Describe(const Request& request) {
  return absl::StrCat("prompt:\n", ShownAll(PromptTexts(request)),
                      "\nresults:\n", ShownAll(NewResults(request)),
                      "\ntools: ", ToolNames(request));
}

}  // namespace troika::model
