#include "base/json.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::json {
namespace {

using ::testing::HasSubstr;

TEST(JsonTest, ReadsEveryType) {
  Parser parser;
  const auto doc = parser.Parse(
      R"( {"s":"a\nb","i":-7,"d":2.5,"t":true,"f":false,"n":null,"a":[1,[2]],"o":{"k":{}}} )");
  ASSERT_TRUE(doc.ok()) << doc.status();
  EXPECT_EQ(doc->Get("s").String(), "a\nb");
  EXPECT_EQ(doc->Get("i").Int(), -7);
  EXPECT_EQ(doc->Get("d").Double(), 2.5);
  EXPECT_EQ(doc->Get("d").Int(), std::nullopt);
  EXPECT_EQ(doc->Get("t").Bool(), true);
  EXPECT_EQ(doc->Get("f").Bool(), false);
  EXPECT_TRUE(doc->Get("n").IsNull());
  EXPECT_EQ(doc->Get("a").size(), 2u);
  EXPECT_EQ(doc->Get("a").At(1).At(0).Int(), 2);
  EXPECT_EQ(doc->Get("a").At(2).type(), Type::kMissing);
  EXPECT_EQ(doc->Get("o").Get("k").type(), Type::kObject);
  EXPECT_EQ(doc->Get("o").Get("k").Get("x").Get("y").StringOr("z"), "z");
}

TEST(JsonTest, ContainersKeepTheirText) {
  Parser parser;
  const auto doc =
      parser.Parse(R"({"x":"\u00e9\n","in": {"a" :1.50,"b":"\"q\""},"l":[ ]})");
  ASSERT_TRUE(doc.ok());
  EXPECT_EQ(doc->Get("in").ToJson(), R"({"a" :1.50,"b":"\"q\""})");
  EXPECT_EQ(doc->Get("l").ToJson(), "[ ]");
  EXPECT_EQ(doc->Get("in").Get("a").ToJson(), "1.50");
  EXPECT_EQ(doc->Get("x").ToJson(), "\"é\\n\"");
  EXPECT_EQ(doc->Get("none").ToJson(), "null");
}

TEST(JsonTest, FirstOfDuplicateKeysWins) {
  Parser parser;
  const auto doc = parser.Parse(R"({"id":"item_5","type":"w","id":"ws_1"})");
  ASSERT_TRUE(doc.ok());
  EXPECT_EQ(doc->Get("id").String(), "item_5");
}

TEST(JsonTest, RefusesWhatIsBroken) {
  Parser parser;
  for (const absl::string_view text :
       {"", " ", "{", "{\"a\":1", "{\"a\":1}}", "{\"a\":1} x", "{'a':1}",
        "[1,]", "nul", "\"abc", "{\"a\":\"\\x\"}", "-", "01", "\xEF\xBB\xBF{}",
        "1e", "{\"a\"}", "{\"a\":\"\\u12\"}"}) {
    EXPECT_FALSE(parser.Parse(text).ok()) << text;
  }
  EXPECT_TRUE(parser.Parse("{}").ok()) << "the parser goes on after errors";
}

TEST(JsonTest, NothingIsRefused) {
  EXPECT_FALSE(Parser().Parse(absl::string_view()).ok());
}

TEST(JsonTest, RefusesControlCharactersWhereverTheyStand) {
  Parser parser;
  for (int c = 0; c < 0x20; ++c) {
    const std::string raw(1, static_cast<char>(c));
    // Tries every alignment, because strings are scanned in blocks.
    for (int pad = 0; pad < 100; ++pad) {
      const std::string text =
          absl::StrCat("{\"a\":\"", std::string(pad, 'x'), raw, "\"}");
      EXPECT_FALSE(parser.Parse(text).ok()) << c << " at " << pad;
      EXPECT_FALSE(parser.Parse("\t" + text).ok()) << c << " at " << pad;
    }
  }
  const absl::string_view nul_after_value("{\"a\":1}\0}", 9);
  EXPECT_THAT(std::string(parser.Parse(nul_after_value).status().message()),
              HasSubstr("0x0 at byte 7"));
  EXPECT_TRUE(parser.Parse("{\t\"a\":\r\n1}").ok());
}

TEST(JsonTest, EscapedNulIsACharacter) {
  Parser parser;
  const auto doc = parser.Parse("\"a\\u0000b\"");
  ASSERT_TRUE(doc.ok());
  EXPECT_EQ(doc->StringOr(""), absl::string_view("a\0b", 3));
  EXPECT_EQ(doc->ToJson(), "\"a\\u0000b\"");
}

TEST(JsonTest, DepthIsCapped) {
  Parser parser;
  const auto nested = [](int n) {
    return std::string(n, '[') + std::string(n, ']');
  };
  EXPECT_TRUE(parser.Parse(nested(kMaxDepth)).ok());
  EXPECT_FALSE(parser.Parse(nested(kMaxDepth + 1)).ok());
  EXPECT_THAT(std::string(parser.Parse(nested(100000)).status().message()),
              HasSubstr("deeper than 128"));
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_FALSE(parser.Parse(objects).ok());
}

// The densest possible texts, whole and cut off, fit the reserved nodes.
TEST(JsonTest, DenseTextsParse) {
  for (int n = 1; n < 200; ++n) {
    std::string ones = "[1";
    for (int i = 1; i < n; ++i) ones += ",1";
    EXPECT_FALSE(Parser().Parse(ones).ok());
    Parser parser;
    const std::string whole = ones + "]";
    const auto doc = parser.Parse(whole);
    ASSERT_TRUE(doc.ok());
    EXPECT_EQ(doc->size(), static_cast<size_t>(n));
    EXPECT_FALSE(Parser().Parse(std::string(n, '[')).ok());
    EXPECT_FALSE(Parser().Parse(std::string(n, '[') + "1,1").ok());
  }
}

TEST(JsonTest, InvalidUtf8BecomesReplacementCharacters) {
  Parser parser;
  const auto doc =
      parser.Parse("{\"a\":\"x\xC3(\xFFy\xE2\x9C\",\"b\":[\"\xF0\"]}");
  ASSERT_TRUE(doc.ok()) << doc.status();
  EXPECT_EQ(doc->Get("a").StringOr(""), "x\uFFFD(\uFFFDy\uFFFD\uFFFD");
  EXPECT_EQ(doc->Get("b").ToJson(), "[\"\uFFFD\"]");
}

TEST(JsonTest, LoneSurrogatesBecomeReplacementCharacters) {
  Parser parser;
  const auto doc = parser.Parse(
      R"({"a":"cut \ud83d","b":"\ude00x","c":"\ud83d\ude00","d":["\ud83d\u0041"],"e":"\\ud83d"})");
  ASSERT_TRUE(doc.ok()) << doc.status();
  EXPECT_EQ(doc->Get("a").StringOr(""), "cut \uFFFD");
  EXPECT_EQ(doc->Get("b").StringOr(""), "\uFFFDx");
  EXPECT_EQ(doc->Get("c").StringOr(""), "\U0001F600");
  EXPECT_EQ(doc->Get("d").ToJson(), R"(["\ufffd\u0041"])");
  EXPECT_EQ(doc->Get("e").StringOr(""), "\\ud83d");

  const auto second_half = parser.Parse(R"(["한글 \ud7a3\ude00"])");
  ASSERT_TRUE(second_half.ok()) << second_half.status();
  EXPECT_EQ(second_half->At(0).StringOr(""), "한글 \uD7A3\uFFFD");
}

TEST(JsonTest, TextThatEndsInAnEscapeIsRefused) {
  const absl::string_view text = R"(["\ud83d\ude80\ud83d)";
  Parser parser;
  for (size_t size = 0; size <= text.size(); ++size) {
    EXPECT_FALSE(parser.Parse(text.substr(0, size)).ok()) << size;
  }
}

TEST(JsonTest, NumbersOutOfRangeAreKeptAsText) {
  Parser parser;
  const std::string digits(400, '9');
  const auto doc = parser.Parse(absl::StrCat(
      R"({"big":1e400,"long":)", digits,
      R"(,"tiny":0.0000000001e-2147483639,"u64":18446744073709551615,"i64":-9223372036854775808,"x":128.74836467836484838364836483643636483648e-336,"e":3e2})"));
  ASSERT_TRUE(doc.ok()) << doc.status();
  EXPECT_EQ(doc->Get("big").StringOr(""), "1e400");
  EXPECT_EQ(doc->Get("long").StringOr(""), digits);
  EXPECT_EQ(doc->Get("u64").Int(), std::nullopt);
  EXPECT_EQ(doc->Get("u64").ToJson(), "18446744073709551615");
  EXPECT_EQ(doc->Get("i64").Int(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(doc->Get("e").Int(), 300);
}

TEST(JsonTest, SizeIsCapped) {
  Parser parser;
  const std::string at_limit = "\"" + std::string(kMaxBytes - 2, 'x') + "\"";
  EXPECT_TRUE(parser.Parse(at_limit).ok());
  EXPECT_EQ(parser.Parse(at_limit + " ").status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(JsonTest, QuotedTextReadsBackAsItself) {
  Parser parser;
  std::string all;
  for (int c = 0; c < 0x80; ++c) all.push_back(static_cast<char>(c));
  all += "é✓\U0001F600";
  for (int pad = 0; pad < 20; ++pad) {
    const std::string text = std::string(pad, 'p') + all;
    std::string quoted;
    AppendQuoted(text, &quoted);
    const auto doc = parser.Parse(quoted);
    ASSERT_TRUE(doc.ok()) << doc.status();
    EXPECT_EQ(doc->StringOr(""), text);
  }
}

TEST(JsonTest, LongTextOfEscapesReadsBack) {
  Parser parser;
  for (const size_t size : {4078, 4079, 4080, 4081, 4095, 4096, 20000}) {
    for (const char c : {'x', '\n', '\x01'}) {
      std::string text(size, c);
      text += "end";
      std::string quoted;
      AppendQuoted(text, &quoted);
      const auto doc = parser.Parse(quoted);
      ASSERT_TRUE(doc.ok()) << doc.status();
      EXPECT_EQ(doc->StringOr(""), text);
    }
  }
}

TEST(JsonTest, ValidUtf8) {
  EXPECT_EQ(ToValidUtf8("ok é"), "ok é");
  EXPECT_EQ(ToValidUtf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(ToValidUtf8("\xC0\x80"), "\uFFFD\uFFFD");
  EXPECT_EQ(ToValidUtf8(""), "");
}

TEST(JsonTest, QuotingReadsBackWhateverStandsWhere) {
  Parser parser;
  for (const size_t size : {1, 7, 8, 9, 16, 17, 63, 64, 65, 80}) {
    for (size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'x');
        text[at] = static_cast<char>(byte);
        std::string quoted;
        AppendQuoted(text, &quoted);
        const auto value = parser.Parse(quoted);
        ASSERT_TRUE(value.ok()) << value.status() << quoted;
        ASSERT_EQ(value->StringOr(""), ToValidUtf8(text)) << quoted;
      }
    }
  }
}

TEST(JsonTest, QuotingReadsBackOverBlocks) {
  Parser parser;
  std::string text(3000, '\x01');
  for (int i = 0; i < 3000; ++i) {
    std::string quoted;
    AppendQuoted(text, &quoted);
    const auto value = parser.Parse(quoted);
    ASSERT_TRUE(value.ok()) << value.status() << quoted;
    ASSERT_EQ(value->StringOr(""), text);
    text[(i * 7) % text.size()] = i % 5 == 0 ? '"' : 'x';
  }
}

}  // namespace
}  // namespace troika::json
