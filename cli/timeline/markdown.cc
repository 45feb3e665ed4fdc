#include "cli/timeline/markdown.h"

#include <md4c.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/timeline/code_colour.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

// A longer text is shown as it is.
constexpr size_t kMaxMarkdown = size_t{256} << 10;
constexpr size_t kFewestColumns = 16;

std::string ToString(const MD_ATTRIBUTE& attribute) {
  return std::string(attribute.text, attribute.size);
}

// Entities that can't be mistaken. Numbers stay, as they could be any
// character.
std::string Decoded(absl::string_view entity) {
  static constexpr std::pair<absl::string_view, absl::string_view> kKnown[] = {
      {"&amp;", "&"},   {"&lt;", "<"},   {"&gt;", ">"},
      {"&quot;", "\""}, {"&nbsp;", " "}, {"&mdash;", "—"}};
  for (const auto& [name, text] : kKnown) {
    if (entity == name) return std::string(text);
  }
  return std::string(entity);
}

class Renderer {
 public:
  Renderer(size_t columns, Escapes escapes)
      : columns_(columns), escapes_(escapes) {}

  void Enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        Separate();
        Push("│ ", "│ ");
        break;
      case MD_BLOCK_UL:
        FlushLine();
        Separate();
        lists_.push_back(
            {.tight = static_cast<MD_BLOCK_UL_DETAIL*>(detail)->is_tight != 0});
        break;
      case MD_BLOCK_OL: {
        FlushLine();
        Separate();
        const auto* ol = static_cast<MD_BLOCK_OL_DETAIL*>(detail);
        lists_.push_back(
            {.next = ol->start, .numbered = true, .tight = ol->is_tight != 0});
        break;
      }
      case MD_BLOCK_LI:
        EnterItem(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
        break;
      case MD_BLOCK_HR:
        Separate();
        line_.Append("───", kDimText);
        FlushLine();
        after_block_ = true;
        break;
      case MD_BLOCK_H:
        Separate();
        block_style_ = kBoldText;
        if (static_cast<MD_BLOCK_H_DETAIL*>(detail)->level == 1) {
          block_style_ |= kUnderlinedText;
        }
        break;
      case MD_BLOCK_CODE:
        FlushLine();
        Separate();
        in_code_ = true;
        language_ = ToString(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang);
        break;
      case MD_BLOCK_P:
        Separate();
        break;
      case MD_BLOCK_TABLE:
        Separate();
        table_.clear();
        break;
      case MD_BLOCK_TR:
        table_.emplace_back();
        break;
      default:
        break;
    }
  }

  void Leave(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        FlushLine();
        Pop();
        after_block_ = true;
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        lists_.pop_back();
        after_block_ = true;
        break;
      case MD_BLOCK_LI:
        FlushLine();
        Pop();
        after_block_ = !lists_.empty() && !lists_.back().tight;
        break;
      case MD_BLOCK_CODE:
        EmitCode();
        in_code_ = false;
        after_block_ = true;
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        table_.back().push_back(line_.text());
        line_.clear();
        break;
      case MD_BLOCK_TABLE:
        EmitTable();
        after_block_ = true;
        break;
      case MD_BLOCK_H:
      case MD_BLOCK_P:
      case MD_BLOCK_HTML:
        FlushLine();
        block_style_ = kPlainText;
        after_block_ = true;
        break;
      default:
        break;
    }
  }

  void Enter(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_A) {
      links_.push_back(
          {.url = ToString(static_cast<MD_SPAN_A_DETAIL*>(detail)->href),
           .begin = line_.text().size()});
    } else if (type == MD_SPAN_IMG) {
      links_.push_back(
          {.url = ToString(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src),
           .begin = line_.text().size()});
    } else if (type == MD_SPAN_CODE && escapes_ == Escapes::kNone) {
      line_.Append("`", kPlainText);
    }
    spans_.push_back(StyleOf(type));
  }

  void Leave(MD_SPANTYPE type) {
    spans_.pop_back();
    if (type == MD_SPAN_CODE && escapes_ == Escapes::kNone) {
      line_.Append("`", kPlainText);
    }
    if (type != MD_SPAN_A && type != MD_SPAN_IMG) return;
    const Link link = std::move(links_.back());
    links_.pop_back();
    const absl::string_view shown =
        absl::string_view(line_.text()).substr(link.begin);
    if (!link.url.empty() && shown != link.url) {
      line_.Append(absl::StrCat(shown.empty() ? "" : " ", "(", link.url, ")"),
                   kDimText);
    }
  }

  void Text(MD_TEXTTYPE type, absl::string_view text) {
    if (in_code_) {
      absl::StrAppend(&code_, text);
      return;
    }
    uint16_t style = block_style_;
    for (const uint16_t span : spans_) style |= span;
    switch (type) {
      case MD_TEXT_BR:
        line_.Append("\n", style);
        break;
      case MD_TEXT_SOFTBR:
        line_.Append(" ", style);
        break;
      case MD_TEXT_ENTITY:
        line_.Append(Decoded(text), style);
        break;
      case MD_TEXT_NULLCHAR:
        break;
      default:
        line_.Append(text, style);
        break;
    }
  }

  std::vector<std::string> Take() {
    FlushLine();
    return std::move(rows_);
  }

 private:
  struct List {
    unsigned next = 1;
    bool numbered = false;
    bool tight = true;
  };
  struct Link {
    std::string url;
    size_t begin = 0;
  };
  // What stands before the rows of a quote or an item.
  struct Prefix {
    std::string first;  // Before its first row.
    std::string rest;
    bool used = false;
  };

  static uint16_t StyleOf(MD_SPANTYPE type) {
    switch (type) {
      case MD_SPAN_EM:
        return kItalicText;
      case MD_SPAN_STRONG:
        return kBoldText;
      case MD_SPAN_CODE:
        return kCyanText;
      case MD_SPAN_DEL:
        return kStruckText;
      case MD_SPAN_A:
      case MD_SPAN_U:
        return kUnderlinedText;
      default:
        return kPlainText;
    }
  }

  void EnterItem(const MD_BLOCK_LI_DETAIL& item) {
    FlushLine();
    Separate();
    List& list = lists_.back();
    std::string sign = list.numbered ? absl::StrCat(list.next++, ". ") : "• ";
    if (item.is_task != 0) sign = item.task_mark == ' ' ? "☐ " : "☒ ";
    const std::string space(DisplayWidth(sign), ' ');
    Push(std::move(sign), space);
  }

  void Push(std::string first, std::string rest) {
    prefixes_.push_back({.first = std::move(first), .rest = std::move(rest)});
  }
  void Pop() {
    // An empty item has its sign, too.
    if (!prefixes_.back().used) AddRow("");
    prefixes_.pop_back();
  }

  // Sets a block off from the one before.
  void Separate() {
    if (std::exchange(after_block_, false) && !rows_.empty()) {
      std::string row;
      for (const Prefix& prefix : prefixes_) {
        if (prefix.used) row += prefix.rest;
      }
      rows_.emplace_back(absl::StripTrailingAsciiWhitespace(row));
    }
  }

  size_t Room() const {
    size_t used = 0;
    for (const Prefix& prefix : prefixes_) used += DisplayWidth(prefix.rest);
    return columns_ > used + kFewestColumns ? columns_ - used : kFewestColumns;
  }

  void AddRow(absl::string_view row) {
    std::string whole;
    for (Prefix& prefix : prefixes_) {
      whole += std::exchange(prefix.used, true) ? prefix.rest : prefix.first;
    }
    rows_.push_back(absl::StrCat(whole, row));
  }

  void FlushLine() {
    if (line_.empty()) return;
    for (const std::string& row : line_.Rows(Room(), escapes_)) AddRow(row);
    line_.clear();
  }

  void EmitCode() {
    absl::string_view code = code_;
    absl::ConsumeSuffix(&code, "\n");
    for (const absl::string_view line : absl::StrSplit(code, '\n')) {
      StyledText text;
      AppendCode(line, language_, &text);
      // Indented, so that it is set off without colours, too.
      for (const std::string& row : text.Rows(Room() - 2, escapes_)) {
        AddRow(row.empty() ? "" : absl::StrCat("  ", row));
      }
    }
    code_.clear();
  }

  void EmitTable() {
    std::vector<size_t> widths;
    for (const std::vector<std::string>& row : table_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (size_t i = 0; i < row.size(); ++i) {
        widths[i] = std::max(widths[i], DisplayWidth(row[i]));
      }
    }
    size_t all = 0;
    for (const size_t width : widths) all += width + 2;
    const bool fits = all <= Room() + 2;
    bool head = true;
    for (const std::vector<std::string>& row : table_) {
      const uint16_t style =
          std::exchange(head, false) ? kBoldText : kPlainText;
      for (size_t i = 0; i < row.size(); ++i) {
        const bool last = i + 1 == row.size();
        line_.Append(row[i], style);
        if (last) break;
        line_.Append(
            fits ? std::string(widths[i] - DisplayWidth(row[i]) + 2, ' ')
                 : " │ ",
            kPlainText);
      }
      if (line_.empty()) line_.Append(" ", kPlainText);
      FlushLine();
    }
    table_.clear();
  }

  const size_t columns_;
  const Escapes escapes_;
  std::vector<std::string> rows_;
  StyledText line_;
  std::vector<uint16_t> spans_;
  uint16_t block_style_ = kPlainText;
  std::vector<Prefix> prefixes_;
  std::vector<List> lists_;
  std::vector<Link> links_;
  bool after_block_ = false;
  bool in_code_ = false;
  std::string language_;
  std::string code_;
  std::vector<std::vector<std::string>> table_;
};

MD_PARSER MakeParser() {
  MD_PARSER parser = {};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS |
                 MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* out) {
    static_cast<Renderer*>(out)->Enter(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* out) {
    static_cast<Renderer*>(out)->Leave(type);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* out) {
    static_cast<Renderer*>(out)->Enter(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* out) {
    static_cast<Renderer*>(out)->Leave(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size,
                   void* out) {
    static_cast<Renderer*>(out)->Text(type, absl::string_view(text, size));
    return 0;
  };
  return parser;
}

bool IsFence(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  return absl::StartsWith(line, "```") || absl::StartsWith(line, "~~~");
}

}  // namespace

std::vector<std::string> MarkdownRows(absl::string_view text, size_t columns,
                                      Escapes escapes) {
  const std::string sanitized = absl::StrReplaceAll(
      Sanitized(absl::StripAsciiWhitespace(text)), {{"\t", "    "}});
  if (sanitized.size() <= kMaxMarkdown) {
    const MD_PARSER parser = MakeParser();
    Renderer renderer(columns, escapes);
    if (md_parse(sanitized.data(), static_cast<MD_SIZE>(sanitized.size()),
                 &parser, &renderer) == 0) {
      return renderer.Take();
    }
  }
  StyledText plain;
  plain.Append(sanitized, kPlainText);
  return plain.Rows(columns, escapes);
}

size_t CompleteMarkdown(absl::string_view text) {
  size_t complete = 0, begin = 0;
  bool in_fence = false, was_blank = false;
  while (begin < text.size()) {
    const size_t end = text.find('\n', begin);
    const absl::string_view line = text.substr(begin, end - begin);
    // A line that is indented may belong to a list before it.
    if (!in_fence && was_blank && !line.empty() &&
        !absl::ascii_isspace(line[0])) {
      complete = begin;
    }
    if (end == absl::string_view::npos) break;
    if (IsFence(line)) in_fence = !in_fence;
    was_blank = absl::StripAsciiWhitespace(line).empty();
    begin = end + 1;
  }
  return complete;
}

}  // namespace troika::cli
