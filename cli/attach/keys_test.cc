#include "cli/attach/keys.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = Key::Kind;

std::vector<Key> Decoded(absl::string_view bytes) {
  return KeyDecoder().Feed(bytes);
}

TEST(KeysTest, CharactersBecomeText) {
  EXPECT_THAT(Decoded("abc 漢é\U0001f600"),
              ElementsAre(Key{Kind::kText, "abc 漢é\U0001f600"}));
  EXPECT_THAT(Decoded("a\rb"),
              ElementsAre(Key{Kind::kText, "a"}, Key{Kind::kEnter},
                          Key{Kind::kText, "b"}));
  // A byte that is no UTF-8 is shown as such.
  EXPECT_THAT(Decoded("\x80x"), ElementsAre(Key{Kind::kText, "\ufffdx"}));
  EXPECT_THAT(Decoded("\xe6\r"),
              ElementsAre(Key{Kind::kText, "\ufffd"}, Key{Kind::kEnter}));
}

TEST(KeysTest, ControlKeysHaveTheirMeaning) {
  EXPECT_THAT(Decoded("\t\x03\x04\x0c\x1c\x1d\n"),
              ElementsAre(Key{Kind::kTab}, Key{Kind::kCtrlC}, Key{Kind::kCtrlD},
                          Key{Kind::kRedraw}, Key{Kind::kDetach},
                          Key{Kind::kDetach}, Key{Kind::kNewline}));
  EXPECT_THAT(Decoded("\x7f\x01\x1a\x0f"),
              ElementsAre(Key{Kind::kEdit, "\x7f"}, Key{Kind::kEdit, "\x01"},
                          Key{Kind::kSuspend}));
}

TEST(KeysTest, SequencesBecomeCommandsOfTheEditor) {
  EXPECT_THAT(Decoded("\x1b[A\x1bOB\x1b[3~\x1b[1;5C"),
              ElementsAre(Key{Kind::kEdit, "\x10"}, Key{Kind::kEdit, "\x0e"},
                          Key{Kind::kEdit, "\x04"},
                          Key{Kind::kEdit,
                              "\x1b"
                              "f"}));
  EXPECT_THAT(Decoded("\x1b\r\x1b[13;2u"),
              ElementsAre(Key{Kind::kNewline}, Key{Kind::kNewline}));
  // Nothing of a sequence that is not known is text.
  EXPECT_THAT(Decoded("\x1b[?62;c\x1b[15~\x1b[200;3;4R\x1bz\x1b漢"), IsEmpty());
  EXPECT_THAT(Decoded("\x1b\x03"),
              ElementsAre(Key{Kind::kEscape}, Key{Kind::kCtrlC}));
  EXPECT_THAT(Decoded("\x1b[5~\x1b[6~"),
              ElementsAre(Key{Kind::kPageUp}, Key{Kind::kPageDown}));
}

TEST(KeysTest, APasteIsOneKey) {
  EXPECT_THAT(Decoded("\x1b[200~one\r\ntwo\rthree\x1b[A\x03\t.\x1b[201~x"),
              ElementsAre(Key{Kind::kPaste, "one\ntwo\nthree[A\t."},
                          Key{Kind::kText, "x"}));
  const std::string longer(KeyDecoder::kMaxPaste + 10, 'x');
  const std::vector<Key> keys =
      Decoded(absl::StrCat("\x1b[200~", longer, "\x1b[201~"));
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_TRUE(keys[0].cut);
  EXPECT_EQ(keys[0].text.size(), KeyDecoder::kMaxPaste);
}

TEST(KeysTest, AnEscapeThatNothingFollowsIsAKeyOfItsOwn) {
  KeyDecoder decoder;
  EXPECT_EQ(decoder.patience(), absl::InfiniteDuration());
  EXPECT_THAT(decoder.Feed("\x1b"), IsEmpty());
  EXPECT_EQ(decoder.patience(), KeyDecoder::kEscapePatience);
  EXPECT_THAT(decoder.Expire(), ElementsAre(Key{Kind::kEscape}));
  EXPECT_EQ(decoder.patience(), absl::InfiniteDuration());
  EXPECT_THAT(decoder.Feed("x\r"),
              ElementsAre(Key{Kind::kText, "x"}, Key{Kind::kEnter}));
  EXPECT_THAT(decoder.Feed("\x1b["), IsEmpty());
  EXPECT_THAT(decoder.Expire(), ElementsAre(Key{Kind::kText, "["}));
  // A sequence that was cut on its way is no text.
  EXPECT_THAT(decoder.Feed("\x1b[1;5"), IsEmpty());
  EXPECT_THAT(decoder.Expire(), IsEmpty());
  EXPECT_THAT(decoder.Feed("C"), ElementsAre(Key{Kind::kText, "C"}));
}

TEST(KeysTest, APasteWithoutAnEndIsTakenInTime) {
  KeyDecoder decoder;
  EXPECT_THAT(decoder.Feed("\x1b[200~one\rtwo\x1b[2"), IsEmpty());
  EXPECT_EQ(decoder.patience(), KeyDecoder::kPastePatience);
  EXPECT_THAT(decoder.Expire(), ElementsAre(Key{Kind::kPaste, "one\ntwo[2"}));
  EXPECT_THAT(decoder.Feed("x\r"),
              ElementsAre(Key{Kind::kText, "x"}, Key{Kind::kEnter}));
  // One that is too long is shown at once.
  EXPECT_THAT(decoder.Feed("\x1b[200~"), IsEmpty());
  const std::vector<Key> keys =
      decoder.Feed(std::string(2 * KeyDecoder::kMaxPaste, 'x'));
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_TRUE(keys[0].cut);
  EXPECT_EQ(keys[0].text.size(), KeyDecoder::kMaxPaste);
  EXPECT_THAT(decoder.Feed("more"), IsEmpty());
  EXPECT_THAT(decoder.Expire(), IsEmpty());
  EXPECT_THAT(decoder.Feed("x"), ElementsAre(Key{Kind::kText, "x"}));
}

TEST(KeysTest, BytesMayComeOneByOne) {
  const std::string bytes =
      "h漢\x1b[A\x1b[200~a\nb\x1b[201\x1b[201~\x1b[1;5D\r\x1b\r";
  KeyDecoder decoder;
  std::vector<Key> keys;
  for (const char byte : bytes) {
    for (Key& key : decoder.Feed(absl::string_view(&byte, 1))) {
      keys.push_back(std::move(key));
    }
  }
  EXPECT_THAT(
      keys, ElementsAre(Key{Kind::kText, "h"}, Key{Kind::kText, "漢"},
                        Key{Kind::kEdit, "\x10"}, Key{Kind::kPaste, "a\nb[201"},
                        Key{Kind::kEdit,
                            "\x1b"
                            "b"},
                        Key{Kind::kEnter}, Key{Kind::kNewline}));
}

}  // namespace
}  // namespace troika::cli
