// How the dashboard looks.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/commands/task_text.h"
#include "cli/dashboard/model.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/painted_text.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

// Below this, list and timeline are not beside each other.
constexpr size_t kWideColumns = 100;
// Below this, they are not below each other, either.
constexpr size_t kStackedRows = 18;
constexpr size_t kFewestListRows = 4;
constexpr absl::string_view kBetween = " │ ";
constexpr size_t kBetweenColumns = 3;
// The header, the notice and the keys.
constexpr size_t kFixedRows = 3;
constexpr size_t kFolderColumns = 24;

size_t ListColumns(size_t columns) {
  return std::clamp<size_t>(columns * 2 / 5, 40, 64);
}

// Cuts or fills a row.
std::string Fitted(absl::string_view row, size_t columns) {
  std::string cut = CutPainted(row, columns);
  const size_t width = PaintedWidth(cut);
  if (width < columns) cut.append(columns - width, ' ');
  return cut;
}

}  // namespace

// Where the list and the timeline are; what has no height is not shown.
struct Model::Areas {
  bool beside = false;
  ScreenSize list;
  ScreenSize pane;  // Without its head.
  size_t body = 0;  // Rows of both.
};

ScreenSize Model::PaneSize(const ScreenSize& screen) {
  const bool wide = screen.columns >= kWideColumns;
  return {
      .columns =
          wide ? screen.columns - ListColumns(screen.columns) - kBetweenColumns
               : screen.columns,
      .rows = screen.rows > kFixedRows + 1 ? screen.rows - kFixedRows - 1 : 1};
}

Model::Areas Model::LayOut(const ScreenSize& size, size_t bottom_rows,
                           absl::Time now) {
  Areas areas;
  const size_t used = kFixedRows + bottom_rows;
  areas.body = size.rows > used + 1 ? size.rows - used : 1;
  areas.pane = {.columns = PaneSize(size).columns, .rows = areas.body - 1};
  areas.list = {.columns = size.columns, .rows = areas.body};
  if (size.columns >= kWideColumns) {
    areas.beside = true;
    areas.list.columns = ListColumns(size.columns);
    return areas;
  }
  if (mode_ == Mode::kLine) {
    areas.list.rows = 0;
  } else if (size.rows < kStackedRows + kFixedRows) {
    (focus_ == Focus::kList ? areas.pane.rows : areas.list.rows) = 0;
  } else {
    size_t wanted = 0;
    const std::vector<TaskBook::Entry>& entries = book_.Entries(now);
    for (size_t i = 0; i < entries.size() && wanted < areas.body; ++i) {
      wanted += i == 0 || entries[i].group != entries[i - 1].group ? 2 : 1;
    }
    const size_t share =
        focus_ == Focus::kList ? areas.body / 2 : areas.body / 4;
    areas.list.rows =
        std::clamp(wanted, kFewestListRows, std::max(kFewestListRows, share));
    areas.pane.rows = areas.body - areas.list.rows - 1;
  }
  return areas;
}

std::string Model::Header(size_t width, absl::Time now) {
  const std::array<size_t, kTaskGroups>& counts = book_.Counts(now);
  std::vector<std::string> parts;
  for (size_t i = 0; i < kTaskGroups; ++i) {
    const auto group = static_cast<TaskGroup>(i);
    if (counts[i] == 0) continue;
    const bool one = group == TaskGroup::kNeedsYou && counts[i] != 1;
    parts.push_back(paint_(
        ColourOf(group),
        absl::StrCat(counts[i],
                     group == TaskGroup::kEnded && book_.has_more() ? "+" : "",
                     " ", one ? "need you" : GroupTitle(group))));
  }
  std::string row =
      absl::StrCat(paint_("1", "troika"), "  ",
                   parts.empty() ? "no tasks" : absl::StrJoin(parts, " · "));
  if (!book_.listed())
    row = absl::StrCat(paint_("1", "troika"), "  connecting");
  std::string right;
  if (!server_problem_.empty()) {
    right = paint_("31", SanitizedLine(server_problem_, width / 2));
  } else if (!book_.filter().empty() && mode_ != Mode::kFilter) {
    right = paint_("33",
                   absl::StrCat("/", SanitizedLine(book_.filter(), width / 3)));
  }
  const size_t room =
      width > PaintedWidth(right) + 1 ? width - PaintedWidth(right) - 1 : 0;
  return absl::StrCat(Fitted(row, room), " ", right);
}

std::string Model::PaneHead(size_t width) const {
  const v1::Task* const shown = task();
  if (shown == nullptr) return paint_("2", "── no task");
  const std::string cost = CostOf(shown->usage());
  std::vector<std::string> parts = {
      StateText(*shown), shown->harness(),
      FolderText(shown->cwd(), options_.home, kFolderColumns),
      cost == kUnknownCost ? "" : cost, shown->model()};
  parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
  std::string facts = SanitizedLine(absl::StrJoin(parts, " · "), width);
  if (mode_ == Mode::kLine && dialog_.answers()) {
    const std::string position = document_.Position(pane_height_);
    if (!position.empty()) {
      facts = absl::StrCat(position,
                           document_.seen() ? "" : ": PgDn shows the rest");
    }
  } else if (!transcript_.follows()) {
    facts = focus_ == Focus::kPane ? "scrolled up: G shows the end"
            : mode_ == Mode::kLine ? "scrolled up: PgDn goes down"
                                   : "scrolled up: Tab, then G shows the end";
  }
  // The title matters more, up to half of the row.
  const size_t room = width > 8 ? width - 8 : 1;
  const std::string whole =
      SanitizedLine(shown->title().empty() ? shown->id() : shown->title());
  const size_t wanted = std::min(DisplayWidth(whole), room / 2);
  facts = CutToWidth(facts, room - wanted);
  const std::string title = CutToWidth(whole, room - DisplayWidth(facts));
  const bool focused = focus_ == Focus::kPane || mode_ == Mode::kLine;
  std::string row =
      absl::StrCat(paint_("2", "── "), paint_(focused ? "1;36" : "1", title),
                   "  ", paint_("2", absl::StrCat(facts, " ")));
  row = CutPainted(row, width);
  const size_t left = width - PaintedWidth(row);
  std::string line;
  for (size_t i = 0; i < left; ++i) line += "─";
  return absl::StrCat(row, paint_("2", line));
}

void Model::LayDocument(size_t width) {
  if (document_width_ == width || !asked_) return;
  document_width_ = width;
  const Timeline timeline({.color = options_.color, .width = width});
  document_.Set(RowsOf(*asked_, timeline, width));
}

std::vector<std::string> Model::PaneRows(const ScreenSize& pane) {
  if (task() == nullptr) {
    return {book_.listed() ? book_.filter().empty()
                                 ? "There are no tasks yet: n makes one."
                                 : "No task matches the filter: Esc shows all."
                           : "Reading the tasks…"};
  }
  if (mode_ == Mode::kLine && dialog_.answers()) {
    if (!asked_) return {paint_("2", "reading what is asked…")};
    LayDocument(pane.columns);
    return document_.Show(pane.rows);
  }
  const bool here = watched_.id == selected_;
  if (here && !watched_.problem.empty()) {
    return WrapToWidth(SanitizedLine(watched_.problem), pane.columns);
  }
  if (!here || watched_.state == nullptr) return {paint_("2", "reading…")};
  const bool status = !watched_.status_line.empty() && pane.rows > 1;
  std::vector<std::string> rows =
      transcript_.Shown(status ? pane.rows - 1 : pane.rows);
  if (rows.empty() && !watched_.waiting.empty()) {
    rows = absl::StrSplit(watched_.waiting, '\n');
  }
  if (rows.empty() && !status) {
    rows.push_back(paint_("2", "nothing has happened yet"));
  }
  rows.resize(std::min(rows.size(), pane.rows - (status ? 1 : 0)));
  if (status) rows.push_back(watched_.status_line);
  return rows;
}

void Model::DrawBody(const Areas& areas, const Moment& moment, Frame* frame) {
  std::vector<std::string> list, pane;
  if (areas.list.rows > 0) {
    list_height_ = areas.list.rows;
    list = task_rows_.Draw(
        book_.Entries(moment.now), selected_,
        {.width = areas.list.columns,
         .height = areas.list.rows,
         .paint = paint_,
         .now = moment.now,
         .focused = focus_ == Focus::kList && mode_ != Mode::kLine});
  }
  if (areas.pane.rows > 0) {
    pane_height_ = areas.pane.rows;
    pane = PaneRows(areas.pane);
    pane.resize(areas.pane.rows);
    pane.insert(pane.begin(), PaneHead(areas.pane.columns));
  }
  list.resize(areas.list.rows);
  if (!areas.beside) {
    for (std::string& row : list) frame->rows.push_back(std::move(row));
    for (std::string& row : pane) frame->rows.push_back(std::move(row));
    return;
  }
  for (size_t i = 0; i < areas.body; ++i) {
    frame->rows.push_back(absl::StrCat(Fitted(list[i], areas.list.columns),
                                       paint_("2", kBetween), pane[i]));
  }
}

Frame Model::DrawOnce(const ScreenSize& size, const Moment& moment) {
  Frame frame;
  frame.rows.push_back(Header(size.columns, moment.now));
  std::vector<std::string> notice = NoticeRows(size.columns);
  const size_t body = size.rows - kFixedRows - (notice.size() - 1);
  if (mode_ == Mode::kHelp) {
    help_height_ = body;
    for (std::string& row : help_.Show(body)) {
      frame.rows.push_back(std::move(row));
    }
  } else if (mode_ == Mode::kForm) {
    Frame form = form_.Draw(editor_, size.columns, body, paint_);
    frame.cursor = form.cursor;
    if (frame.cursor) ++frame.cursor->row;
    for (std::string& row : form.rows) frame.rows.push_back(std::move(row));
  } else {
    Frame bottom = Bottom(size.columns, std::max<size_t>(2, body / 2));
    DrawBody(LayOut(size, bottom.rows.size() + notice.size() - 1, moment.now),
             moment, &frame);
    frame.cursor = bottom.cursor;
    if (frame.cursor) frame.cursor->row += frame.rows.size();
    for (std::string& row : bottom.rows) frame.rows.push_back(std::move(row));
  }
  frame.rows.resize(size.rows - 1 - notice.size());
  for (std::string& row : notice) frame.rows.push_back(std::move(row));
  frame.rows.push_back(KeysLine(size.columns - 1));
  for (std::string& row : frame.rows) row = CutPainted(row, size.columns);
  return frame;
}

Frame Model::Draw(const ScreenSize& size, const Moment& moment) {
  too_small_ = size.columns < kFewestColumns || size.rows < kFewestRows;
  if (too_small_) {
    Frame frame;
    frame.rows =
        WrapToWidth(absl::StrCat("The terminal is too small: ", kFewestColumns,
                                 "×", kFewestRows, " is needed. q leaves."),
                    std::max<size_t>(1, size.columns));
    frame.rows.resize(std::min(frame.rows.size(), size.rows));
    return frame;
  }
  Frame frame = DrawOnce(size, moment);
  if (mode_ != Mode::kLine || !asked_ || !dialog_.answers()) return frame;
  // What has been shown decides what may be typed, which is shown, too.
  dialog_.Describe(StatementOf(asked_->payload, size.columns),
                   document_.seen() && asked_->problem.empty()
                       ? Asker::Seen::kAll
                       : Asker::Seen::kPart);
  return DrawOnce(size, moment);
}

}  // namespace troika::cli
