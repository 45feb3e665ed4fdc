#include "base/fields.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json_fields.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

enum class Color { kRed, kGreen, kBlue };

struct Point {
  int x = 0;
  std::optional<int> y;
};

struct Shape {
  std::string label;
  Color color = Color::kRed;
  bool filled = false;
  int64_t size = 0;
  Point center;
  std::vector<Point> points;
  std::vector<std::string> tags;
  std::map<std::string, std::string> notes;
  std::string extra_json;
  int layer = 0;
};

}  // namespace

template <>
constexpr auto kEnumNames<Color> = EnumNames("red", "green", "blue");
template <>
constexpr auto kFields<Point> =
    std::tuple{Field{1, "x", &Point::x}, Field{2, "y", &Point::y}};
template <>
constexpr auto kFields<Shape> =
    std::tuple{Field{1, "label", &Shape::label},
               Field{2, "color", &Shape::color},
               Field{3, "filled", &Shape::filled},
               Field{4, "size", &Shape::size},
               Field{5, "center", &Shape::center},
               Field{6, "points", &Shape::points},
               Field{7, "tags", &Shape::tags},
               Field{8, "notes", &Shape::notes},
               Field{9, "extra", AsJson(&Shape::extra_json)},
               Field{10, "layer", IfSet(&Shape::layer)},
               Field{11, "center_x", Within(&Shape::center, &Point::x)}};

namespace {

constexpr absl::string_view kJson =
    R"({"label":"a \"b\"","color":"blue","filled":true,"size":5000000000,)"
    R"("center":{"x":1,"y":0},"points":[{"x":2},{}],"tags":["t",""],)"
    R"("notes":{"k":"v"},"extra":[1,null],"layer":3,"center_x":1})";

Shape Sample() {
  return {.label = "a \"b\"",
          .color = Color::kBlue,
          .filled = true,
          .size = 5000000000,
          .center = {.x = 1, .y = 0},
          .points = {{.x = 2}, {}},
          .tags = {"t", ""},
          .notes = {{"k", "v"}},
          .extra_json = "[1,null]",
          .layer = 3};
}

// Returns the problem that the reader reports for `json`.
std::string Read(absl::string_view json, Shape* shape) {
  json::Parser parser;
  const auto value = parser.Parse(json);
  EXPECT_TRUE(value.ok()) << value.status();
  json::FieldReader reader;
  reader.Read(*value, shape);
  return reader.problem();
}

TEST(FieldsTest, EnumsHaveNames) {
  EXPECT_EQ(NameOf(Color::kGreen), "green");
  EXPECT_EQ(FromName<Color>("blue"), Color::kBlue);
  EXPECT_EQ(FromName<Color>("pink"), std::nullopt);
}

TEST(FieldsTest, WritesWhatIsNotAtItsDefault) {
  EXPECT_EQ(json::ToJson(Shape()), "{}");
  EXPECT_EQ(json::ToJson(Sample()), kJson);
}

TEST(FieldsTest, ReadsWhatIsWritten) {
  Shape shape;
  EXPECT_EQ(Read(kJson, &shape), "");
  EXPECT_EQ(json::ToJson(shape), kJson);
  EXPECT_EQ(Read(R"({"size":"7","later":1,"label":null})", &shape), "");
  EXPECT_EQ(shape.size, 7);
  EXPECT_EQ(shape.label, "a \"b\"");
}

TEST(FieldsTest, TellsWhatIsWrong) {
  const struct {
    absl::string_view json;
    absl::string_view problem;
  } kRows[] = {
      {R"({"label":1})", "label must be a string"},
      {R"({"color":"pink"})", "color must be red, green or blue"},
      {R"({"filled":0})", "filled must be true or false"},
      {R"({"size":"x"})", "size must be a number"},
      {R"({"center":{"x":-1}})", "x must be a count"},
      {R"({"center":{"x":2000000000}})", "x must be a count"},
      {R"({"center":{"y":3000000000}})", "y must be a number"},
      {R"({"center":[]})", "center must be an object"},
      {R"({"points":{}})", "points must be an array"},
      {R"({"tags":[1]})", "tags must be an array of strings"},
      {R"({"notes":{"k":1}})", "notes must be an object of strings"},
  };
  for (const auto& row : kRows) {
    Shape shape;
    EXPECT_EQ(Read(row.json, &shape), row.problem);
    EXPECT_EQ(json::ToJson(shape), "{}") << row.json;
  }
}

}  // namespace
}  // namespace troika
