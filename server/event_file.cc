#include "server/event_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/ancestry.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "relay/log_format.h"
#include "relay/log_search.h"

namespace troika {
namespace {

constexpr char kWholeName[] = "whole.v1";
constexpr absl::string_view kFrameEnd = "\n\n";
constexpr absl::string_view kIdFrame = "\n\nid: ";
constexpr absl::string_view kLogFrame = ": log ";
constexpr absl::string_view kLogMark = "\n\n: log ";
constexpr absl::string_view kData = "\ndata: ";
constexpr size_t kProbe = size_t{4} << 10;
constexpr size_t kWindow = size_t{64} << 10;
constexpr int64_t kBackWindow = int64_t{256} << 10;
// How much of a file's end is searched for NULs.
constexpr int64_t kMaxChecked = int64_t{4} << 20;
// No frame is longer: its texts are cut.
constexpr int64_t kMaxFrame = int64_t{64} << 20;

// More than this of whole events is not kept for a disk that takes nothing.
constexpr size_t kMaxWholePending = size_t{8} << 20;

std::string Head(absl::string_view name, absl::string_view task_id) {
  return absl::StrCat(": troika ", name, " parser=", kParserVersion,
                      " boot=", BootId(), " task=", task_id, kFrameEnd);
}

// The id that stands at the start of `text`, which is the rest of a frame.
std::optional<EventId> IdAt(absl::string_view text) {
  return ParseEventId(text.substr(0, text.find('\n')));
}

}  // namespace

absl::StatusOr<std::unique_ptr<EventFile>> EventFile::Open(
    int folder_fd, absl::string_view task_id) {
  ASSIGN_OR_RETURN(std::unique_ptr<EventFile> file,
                   OpenNamed(folder_fd, kEventsName, task_id, O_CREAT));
  auto whole = OpenNamed(folder_fd, kWholeName, task_id, 0);
  if (file->IsAheadOfLog(folder_fd)) {
    RETURN_IF_ERROR(file->Begin());
    if (whole.ok()) RETURN_IF_ERROR((*whole)->Begin());
  }
  if (whole.ok()) {
    file->whole_ = *std::move(whole);
    return file;
  }
  file->folder_ = UniqueFd(fcntl(folder_fd, F_DUPFD_CLOEXEC, 0));
  file->task_id_ = std::string(task_id);
  return file;
}

std::unique_ptr<EventFile> EventFile::New(int folder_fd,
                                          absl::string_view task_id) {
  std::unique_ptr<EventFile> file(
      new EventFile(UniqueFd(), Head(kEventsName, task_id)));
  file->begin_ = static_cast<int64_t>(file->head_.size());
  file->pending_ = file->head_;
  file->folder_ = UniqueFd(fcntl(folder_fd, F_DUPFD_CLOEXEC, 0));
  file->task_id_ = std::string(task_id);
  return file;
}

absl::Status EventFile::Create() {
  fd_ = UniqueFd(openat(folder_.get(), kEventsName,
                        O_RDWR | O_CLOEXEC | O_CREAT | O_TRUNC, 0600));
  if (fd_.ok()) return absl::OkStatus();
  return absl::ErrnoToStatus(
      errno, absl::StrCat("create ", kEventsName, " of ", task_id_));
}

absl::StatusOr<std::unique_ptr<EventFile>> EventFile::OpenNamed(
    int folder_fd, const char* name, absl::string_view task_id, int flags) {
  UniqueFd fd(openat(folder_fd, name, O_RDWR | O_CLOEXEC | flags, 0600));
  if (!fd.ok()) {
    return absl::ErrnoToStatus(errno,
                               absl::StrCat("open ", name, " of ", task_id));
  }
  struct stat info = {};
  if (fstat(fd.get(), &info) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("stat ", name));
  }
  std::unique_ptr<EventFile> file(
      new EventFile(std::move(fd), Head(name, task_id)));
  if (!file->LoadEnd(info.st_size)) RETURN_IF_ERROR(file->Begin());
  return file;
}

void EventFile::AddWhole(const EventId& id, absl::string_view json) {
  if (!whole_) {
    auto whole = OpenNamed(folder_.get(), kWholeName, task_id_, O_CREAT);
    // Without it the event is read from the log.
    if (!whole.ok()) return;
    whole_ = *std::move(whole);
    folder_.Reset();
  }
  if (whole_->pending_.size() > kMaxWholePending) return;
  whole_->Add(id,
              [&](std::string* out) { out->append(json.data(), json.size()); });
  if (whole_->pending_.size() > kMaxWholePending) {
    whole_->Flush().IgnoreError();
  }
}

std::optional<std::string> EventFile::ReadEvent(int folder_fd,
                                                absl::string_view task_id,
                                                const EventId& id) {
  auto whole = ReadFrom(folder_fd, kWholeName, task_id, id);
  return whole ? whole : ReadFrom(folder_fd, kEventsName, task_id, id);
}

std::optional<std::string> EventFile::ReadFrom(int folder_fd, const char* name,
                                               absl::string_view task_id,
                                               const EventId& id) {
  UniqueFd fd(openat(folder_fd, name, O_RDONLY | O_CLOEXEC));
  struct stat info = {};
  if (!fd.ok() || fstat(fd.get(), &info) != 0) return std::nullopt;
  EventFile file(std::move(fd), Head(name, task_id));
  file.begin_ = static_cast<int64_t>(file.head_.size());
  // The file's end may be torn, or cut while we read.
  file.size_ = info.st_size;
  std::string text;
  if (!ReadAt(file.fd_.get(), 0, file.head_.size(), kEventsName, &text).ok() ||
      text != file.head_) {
    return std::nullopt;
  }
  const auto frame = file.Find(id);
  if (!frame) return std::nullopt;
  text.clear();
  size_t end = absl::string_view::npos;
  for (size_t seen = 0; end == absl::string_view::npos;) {
    const auto n = file.Read(frame->offset + static_cast<int64_t>(text.size()),
                             kWindow, &text);
    if (!n.ok() || *n == 0) return std::nullopt;
    end = text.find(kFrameEnd.data(), seen, kFrameEnd.size());
    seen = text.size() - 1;
  }
  const size_t data = text.find(kData.data(), 0, kData.size());
  if (data == std::string::npos || data > end) return std::nullopt;
  text.resize(end);
  text.erase(0, data + kData.size());
  return text;
}

absl::Status EventFile::Begin() {
  if (ftruncate(fd_.get(), 0) != 0) {
    return absl::ErrnoToStatus(errno, "empty the file of events");
  }
  last_ = kBeforeAll;
  size_ = 0;
  log_bytes_ = -1;
  covered_ = 0;
  begin_ = static_cast<int64_t>(head_.size());
  pending_ = head_;
  // Bytes that a full disk does not take are written later.
  Flush().IgnoreError();
  return absl::OkStatus();
}

bool EventFile::IsText(int64_t file_size) const {
  // What was never written is a hole.
  const off_t hole = lseek(fd_.get(), 0, SEEK_HOLE);
  if (hole >= 0 && hole < file_size) return false;
  std::string text;
  for (int64_t from = std::max<int64_t>(0, file_size - kMaxChecked);
       from < file_size; from += static_cast<int64_t>(text.size())) {
    text.clear();
    const auto n = ReadAt(fd_.get(), from, kWindow, kEventsName, &text);
    if (!n.ok() || *n == 0 || memchr(text.data(), 0, text.size()) != nullptr) {
      return false;
    }
  }
  return true;
}

bool EventFile::IsAheadOfLog(int folder_fd) const {
  const UniqueFd log(
      openat(folder_fd, relay::kLogName, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info = {};
  if (!log.ok() || fstat(log.get(), &info) != 0) return false;
  if (covered_ > info.st_size) return true;
  if (last_ == kBeforeAll) return false;
  // What is wrong with a log's end may be told under the next number.
  const auto end = relay::FindLogEnd(log.get());
  return end.ok() && last_.record > end->next_number;
}

bool EventFile::LoadEnd(int64_t file_size) {
  std::string head;
  begin_ = static_cast<int64_t>(head_.size());
  if (!ReadAt(fd_.get(), 0, head_.size(), kEventsName, &head).ok() ||
      head != head_ || !IsText(file_size)) {
    return false;
  }
  // Back from the end, in windows that grow, to the last event.
  for (int64_t window = kWindow;; window *= 4) {
    const int64_t from = std::max<int64_t>(begin_ - 2, file_size - window);
    std::string text;
    if (!ReadAt(fd_.get(), from, static_cast<size_t>(file_size - from),
                kEventsName, &text)
             .ok()) {
      return false;
    }
    const absl::string_view seen = text;
    const size_t end = seen.rfind(kFrameEnd);
    if (end != absl::string_view::npos) {
      const absl::string_view whole = seen.substr(0, end + kFrameEnd.size());
      const size_t frame = whole.rfind(kIdFrame, end);
      const bool seen_all = from <= begin_ - 2;
      if (frame != absl::string_view::npos || seen_all) {
        if (frame != absl::string_view::npos) {
          const auto id = IdAt(whole.substr(frame + kIdFrame.size()));
          if (!id) return false;
          last_ = *id;
        }
        size_ = from + static_cast<int64_t>(whole.size());
        absl::string_view last_frame = whole.substr(0, end);
        const size_t start = last_frame.rfind(kFrameEnd);
        if (start != absl::string_view::npos) {
          last_frame.remove_prefix(start + kFrameEnd.size());
        }
        if (!absl::ConsumePrefix(&last_frame, kLogFrame) ||
            !absl::SimpleAtoi(last_frame, &log_bytes_)) {
          log_bytes_ = -1;
        }
        const size_t mark = whole.rfind(kLogMark);
        if (mark != absl::string_view::npos) {
          absl::string_view number = whole.substr(mark + kLogMark.size());
          number = number.substr(0, number.find('\n'));
          if (!absl::SimpleAtoi(number, &covered_)) covered_ = 0;
        }
        return size_ == file_size || ftruncate(fd_.get(), size_) == 0;
      }
    }
    if (from <= begin_ - 2 || window > kMaxFrame) return false;
  }
}

void EventFile::BeginFrame(const EventId& id) {
  absl::StrAppend(&pending_, "id: ", EventIdText(id), "\ndata: ");
  log_bytes_ = -1;
}

void EventFile::AddLogBytes(int64_t log_bytes) {
  if (log_bytes == log_bytes_) return;
  log_bytes_ = log_bytes;
  absl::StrAppend(&pending_, kLogFrame, log_bytes, kFrameEnd);
}

absl::Status EventFile::Flush() {
  if (!fd_.ok()) RETURN_IF_ERROR(Create());
  // First, so that an event that is cut can be had whole; what is missing there
  // is read from the log.
  if (whole_) whole_->Flush().IgnoreError();
  size_t done = 0;
  while (done < pending_.size()) {
    const ssize_t n =
        pwrite(fd_.get(), pending_.data() + done, pending_.size() - done,
               size_ + static_cast<int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      // The part that was written is written again.
      return absl::ErrnoToStatus(errno, "write the events");
    }
    done += static_cast<size_t>(n);
  }
  size_ += static_cast<int64_t>(done);
  pending_.clear();
  // After a flood the room is given back.
  if (pending_.capacity() > (size_t{1} << 18)) pending_.shrink_to_fit();
  return absl::OkStatus();
}

std::optional<EventFile::Frame> EventFile::NextFrame(int64_t offset,
                                                     int64_t end) const {
  // The mark's first bytes end the frame before it.
  int64_t from = std::max<int64_t>(offset - 2, 0);
  std::string text;
  for (size_t window = kProbe; from < end;
       window = std::min(window * 4, kWindow)) {
    text.clear();
    const auto n = Read(from, window, &text);
    if (!n.ok() || *n < kIdFrame.size()) return std::nullopt;
    const size_t at = absl::string_view(text).find(kIdFrame);
    if (at == absl::string_view::npos) {
      from += static_cast<int64_t>(text.size() - kIdFrame.size() + 1);
      continue;
    }
    const absl::string_view rest =
        absl::string_view(text).substr(at + kIdFrame.size());
    if (rest.find('\n') == absl::string_view::npos && at > 0) {
      from += static_cast<int64_t>(at);
      continue;
    }
    const auto id = IdAt(rest);
    const int64_t begin = from + static_cast<int64_t>(at) + 2;
    if (!id || begin >= end) return std::nullopt;
    return Frame{.id = *id, .offset = begin};
  }
  return std::nullopt;
}

std::optional<EventFile::Frame> EventFile::Find(const EventId& id) const {
  // Frames are sorted by id: the last one up to `id` is found by halving.
  int64_t low = begin_;
  int64_t high = size();
  while (high - low > static_cast<int64_t>(kProbe)) {
    const int64_t middle = low + (high - low) / 2;
    const auto frame = NextFrame(middle, high);
    if (frame && frame->id <= id) {
      low = frame->offset;
    } else {
      high = middle;
    }
  }
  auto frame = NextFrame(low, size());
  while (frame && frame->id < id) frame = NextFrame(frame->offset + 1, size());
  if (!frame || frame->id != id) return std::nullopt;
  return frame;
}

std::optional<int64_t> EventFile::After(const EventId& id) const {
  if (id == kBeforeAll) return begin_;
  const auto frame = Find(id);
  if (!frame) return std::nullopt;
  const auto next = NextFrame(frame->offset + 1, size());
  return next ? next->offset : size();
}

std::optional<int64_t> EventFile::OffsetOf(const EventId& id) const {
  const auto frame = Find(id);
  if (!frame) return std::nullopt;
  return frame->offset;
}

std::optional<EventId> EventFile::IdAtOffset(int64_t offset) const {
  const auto frame = NextFrame(offset, size());
  if (!frame || frame->offset != offset) return std::nullopt;
  return frame->id;
}

absl::StatusOr<int64_t> EventFile::Back(int64_t end, size_t count,
                                        size_t max_bytes) const {
  // A mark begins with the last bytes of the frame before it.
  const int64_t first = begin_ - 2;
  int64_t start = end;
  size_t found = 0;
  std::string text;
  int64_t window = kProbe;
  for (int64_t from = end; from > first;) {
    const int64_t upper = from;  // No mark before it has been looked for.
    window = std::min<int64_t>(window * 4, kBackWindow);
    from = std::max(first, from - window);
    const int64_t to =
        std::min(end, upper + static_cast<int64_t>(kIdFrame.size()) - 1);
    text.clear();
    ASSIGN_OR_RETURN(const size_t read,
                     Read(from, static_cast<size_t>(to - from), &text));
    if (read < static_cast<size_t>(to - from)) {
      return absl::UnavailableError("the events are being written anew");
    }
    for (size_t at = absl::string_view(text).rfind(kIdFrame);
         at != absl::string_view::npos;
         at = at == 0 ? absl::string_view::npos
                      : absl::string_view(text).rfind(kIdFrame, at - 1)) {
      if (found == count ||
          (found > 0 && static_cast<size_t>(end - start) >= max_bytes)) {
        return start;
      }
      start = from + static_cast<int64_t>(at) + 2;
      ++found;
    }
  }
  return found == 0 ? begin_ : start;
}

absl::StatusOr<EventSnapshot> EventFile::Snapshot() const {
  EventSnapshot snapshot = {
      .begin = begin_, .size = size_, .pending = pending_};
  if (!fd_.ok()) {
    // The head is the first that is written.
    snapshot.pending.erase(0, static_cast<size_t>(begin_));
    snapshot.begin = 0;
    return snapshot;
  }
  snapshot.fd = UniqueFd(fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  if (snapshot.fd.ok()) return snapshot;
  return absl::ErrnoToStatus(errno, "read the events");
}

bool TakeEventFrame(absl::string_view* text, absl::string_view* id,
                    absl::string_view* json) {
  const size_t end = text->find(kFrameEnd);
  if (end == absl::string_view::npos) return false;
  absl::string_view frame = text->substr(0, end);
  text->remove_prefix(end + kFrameEnd.size());
  *id = *json = {};
  if (!absl::ConsumePrefix(&frame, "id: ")) return true;
  const size_t data = frame.find(kData);
  if (data == absl::string_view::npos) return true;
  *id = frame.substr(0, data);
  *json = frame.substr(data + kData.size());
  return true;
}

absl::Status EventSnapshot::ForEach(
    absl::FunctionRef<bool(absl::string_view id, absl::string_view json)> each)
    const {
  std::string text;
  absl::string_view id;
  absl::string_view json;
  const auto take = [&] {
    absl::string_view rest = text;
    while (TakeEventFrame(&rest, &id, &json)) {
      if (!id.empty() && !each(id, json)) return false;
    }
    text.erase(0, text.size() - rest.size());
    return true;
  };
  for (int64_t at = begin; at < size;) {
    const auto room =
        static_cast<size_t>(std::min<int64_t>(size - at, kBackWindow));
    ASSIGN_OR_RETURN(const size_t read,
                     ReadAt(fd.get(), at, room, kEventsName, &text));
    if (read == 0) break;  // The file was begun again.
    at += static_cast<int64_t>(read);
    if (!take()) return absl::OkStatus();
  }
  text.append(pending);
  take();
  return absl::OkStatus();
}

absl::StatusOr<size_t> EventFile::Read(int64_t offset, size_t room,
                                       std::string* out) const {
  size_t read = 0;
  if (offset < size_) {
    const auto there = static_cast<size_t>(size_ - offset);
    const size_t before = out->size();
    ASSIGN_OR_RETURN(read, ReadAt(fd_.get(), offset, std::min(room, there),
                                  kEventsName, out));
    if (memchr(out->data() + before, 0, read) != nullptr) {
      // IsText() looks only at a large file's end. Without its head, the file
      // is begun again when it is opened next.
      (void)!ftruncate(fd_.get(), 0);
      return absl::DataLossError(
          "the cache of events was damaged and is made again from the log: try "
          "again in a moment");
    }
    if (read < there) return read;
  }
  // New events are sent before they are written: the log has them.
  const auto from = static_cast<size_t>(std::max<int64_t>(offset - size_, 0));
  if (from >= pending_.size()) return read;
  const size_t more = std::min(room - read, pending_.size() - from);
  out->append(pending_, from, more);
  return read + more;
}

}  // namespace troika
