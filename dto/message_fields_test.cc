// Compares the tables of fields with dto/troika.proto and with the structs: a
// field that one of the three lacks is a failure here.
#include "dto/message_fields.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "agent/launch/launch.h"
#include "dto/troika.pb.h"
#include "gtest/gtest.h"
#include "task/notes.h"

namespace troika {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

// Converts to everything, so that an aggregate takes one for each member.
struct Anything {
  template <typename T>
  operator T() const {
    return T();
  }
};

template <typename T, size_t... kIndexes>
constexpr bool Takes(std::index_sequence<kIndexes...>) {
  return requires { T{(static_cast<void>(kIndexes), Anything())...}; };
}

// How many members the struct has.
template <typename T, size_t kCount = 0>
constexpr size_t MemberCount() {
  if constexpr (Takes<T>(std::make_index_sequence<kCount + 1>())) {
    return MemberCount<T, kCount + 1>();
  } else {
    return kCount;
  }
}

// The address of the member of `object` that a field is, or is a part of.
template <typename T, typename V>
const void* MemberOf(const T& object, V T::*member) {
  return &(object.*member);
}
template <typename T, typename Outer, typename Inner>
const void* MemberOf(const T& object, const Within<Outer, Inner>& member) {
  return MemberOf(object, member.outer);
}
template <typename T>
const void* MemberOf(const T& object, const AsJson<T>& member) {
  return MemberOf(object, member.member);
}
template <typename T, typename V>
const void* MemberOf(const T& object, const IfSet<T, V>& member) {
  return MemberOf(object, member.member);
}

template <typename T>
void CompareTable(const Descriptor& message);

// Whether a field of the .proto holds values of a type. These look at one item
// of a list.
bool Holds(const FieldDescriptor& field, const std::string&) {
  return field.type() == FieldDescriptor::TYPE_STRING;
}
bool Holds(const FieldDescriptor& field, bool) {
  return field.type() == FieldDescriptor::TYPE_BOOL;
}
bool Holds(const FieldDescriptor& field, int32_t) {
  return field.type() == FieldDescriptor::TYPE_INT32;
}
bool Holds(const FieldDescriptor& field, int64_t) {
  return field.type() == FieldDescriptor::TYPE_INT64;
}
bool Holds(const FieldDescriptor& field, double) {
  return field.type() == FieldDescriptor::TYPE_DOUBLE;
}
bool HoldsMessage(const FieldDescriptor& field, absl::string_view name) {
  return field.message_type() != nullptr &&
         field.message_type()->full_name() == name;
}
bool Holds(const FieldDescriptor& field, absl::Time) {
  return HoldsMessage(field, "google.protobuf.Timestamp");
}
bool Holds(const FieldDescriptor& field, absl::Duration) {
  return HoldsMessage(field, "google.protobuf.Duration");
}
bool Holds(const FieldDescriptor& field, const JsonText<const std::string>&) {
  return HoldsMessage(field, "google.protobuf.Value");
}
template <HasNames E>
bool Holds(const FieldDescriptor& field, const E&) {
  const auto* const type = field.enum_type();
  if (type == nullptr) return false;
  std::vector<absl::string_view> names;
  for (int i = 0; i < type->value_count(); ++i) {
    EXPECT_EQ(type->value(i)->number(), i);
    names.push_back(type->value(i)->name());
  }
  EXPECT_EQ(names, (std::vector<absl::string_view>(kEnumNames<E>.begin(),
                                                   kEnumNames<E>.end())));
  return true;
}
template <HasFields T>
bool Holds(const FieldDescriptor& field, const T&) {
  if (field.message_type() == nullptr) return false;
  CompareTable<T>(*field.message_type());
  return true;
}

// The same, and whether it is a list or may be unset.
template <typename V>
bool Matches(const FieldDescriptor& field, const V& value) {
  return !field.is_repeated() && !field.has_optional_keyword() &&
         Holds(field, value);
}
template <typename V>
bool Matches(const FieldDescriptor& field, const std::optional<V>&) {
  return field.has_presence() && Holds(field, V());
}
template <typename V>
bool Matches(const FieldDescriptor& field, const ValueIfSet<V>& value) {
  return field.has_optional_keyword() && Holds(field, value.value);
}
template <typename V>
bool Matches(const FieldDescriptor& field, const std::vector<V>&) {
  return field.is_repeated() && Holds(field, V());
}

template <typename T>
void CompareTable(const Descriptor& message) {
  SCOPED_TRACE(message.full_name());
  const T object = {};
  std::set<int> numbers;
  std::set<const void*> members;
  ForEachField<T>([&](const auto& field) {
    SCOPED_TRACE(std::string(field.name));
    numbers.insert(field.number);
    members.insert(MemberOf(object, field.member));
    const FieldDescriptor* const found =
        message.FindFieldByNumber(field.number);
    ASSERT_NE(found, nullptr);
    EXPECT_TRUE(field.name == found->json_name() ||
                field.name == found->name());
    EXPECT_TRUE(Matches(*found, field.Of(object)));
  });
  EXPECT_EQ(members.size(), MemberCount<T>());
  for (int i = 0; i < message.field_count(); ++i) {
    // Only tasks say which event asked, and whether that has more.
    const std::string& name = message.field(i)->name();
    if (name == "event_id" || name == "cut") continue;
    EXPECT_TRUE(numbers.contains(message.field(i)->number()))
        << message.field(i)->name();
  }
}

template <size_t... kIndexes>
void ComparePayloads(std::index_sequence<kIndexes...>) {
  const Descriptor& event = *v1::Event::descriptor();
  EXPECT_EQ(event.FindOneofByName("payload")->field_count(),
            int{std::variant_size_v<Payload>});
  const auto compare = [&]<typename T>(const PayloadField& payload, const T*) {
    const FieldDescriptor* const field =
        event.FindFieldByNumber(payload.number);
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->json_name(), std::string(payload.name));
    CompareTable<T>(*field->message_type());
  };
  (compare(kPayloadFields[kIndexes],
           static_cast<const std::variant_alternative_t<kIndexes, Payload>*>(
               nullptr)),
   ...);
}

TEST(MessageFieldsTest, PayloadsAreThoseOfTheContract) {
  ComparePayloads(std::make_index_sequence<std::variant_size_v<Payload>>());
}

TEST(MessageFieldsTest, EventsHaveTheFieldsOfEveryMessage) {
  const Message message;
  ForEachField<Message>([&](const auto& field) {
    const FieldDescriptor* const found =
        v1::Event::descriptor()->FindFieldByNumber(field.number);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->json_name(), std::string(field.name));
    EXPECT_TRUE(Matches(*found, field.Of(message)));
  });
}

TEST(MessageFieldsTest, LaunchOptionsAreThoseOfTheContract) {
  CompareTable<LaunchOptions>(*v1::LaunchOptions::descriptor());
}

TEST(MessageFieldsTest, TimeoutsAreThoseOfTheContract) {
  const Descriptor& message = *v1::Timeouts::descriptor();
  int count = 0;
  ForEachField<notes::Timeouts>([&](const auto& field) {
    const FieldDescriptor* const found =
        message.FindFieldByNumber(field.number);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->name() + "_ms", std::string(field.name));
    ++count;
  });
  EXPECT_EQ(count, message.field_count());
  EXPECT_EQ(count, int{MemberCount<notes::Timeouts>()});
}

}  // namespace
}  // namespace troika
