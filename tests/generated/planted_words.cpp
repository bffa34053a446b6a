#include "tests/generated/planted_words.h"

#include <array>

namespace skim::planted {
namespace {

using View = std::string_view;

constexpr auto kNouns = std::to_array<View>({
    "plot",     "story",   "film",     "scene",     "actor",    "director", "camera",   "script",
    "ending",   "opening", "song",     "score",     "hero",     "villain",  "sister",   "brother",
    "captain",  "teacher", "doctor",   "neighbour", "soldier",  "painter",  "village",  "harbour",
    "mountain", "kitchen", "garden",   "station",   "hotel",    "street",   "bridge",   "river",
    "theatre",  "room",    "house",    "train",     "boat",     "letter",   "picture",  "dialogue",
    "costume",  "setting", "pace",     "sound",     "light",    "cast",     "crowd",    "journey",
    "summer",   "winter",  "evening",  "chapter",   "sequence", "narrator", "audience", "screen",
    "stage",    "novel",   "festival", "ticket",
});
constexpr auto kVerbs = std::to_array<View>({
    "waited", "walked",  "stood",  "played",   "talked", "travelled", "arrived", "turned",
    "moved",  "stopped", "stayed", "slept",    "worked", "listened",  "looked",  "sat",
    "ran",    "began",   "ended",  "returned", "sang",   "changed",   "paused",  "followed",
});
constexpr auto kAdverbs = std::to_array<View>({
    "slowly",
    "quietly",
    "often",
    "later",
    "again",
    "early",
    "twice",
    "together",
    "outside",
    "usually",
    "mostly",
    "once",
    "elsewhere",
    "sometimes",
    "already",
    "today",
    "inside",
    "recently",
});
constexpr auto kPlaces = std::to_array<View>({
    "near",
    "behind",
    "beside",
    "under",
    "above",
    "across",
    "beyond",
    "before",
    "after",
    "around",
    "past",
    "along",
    "towards",
    "through",
});
constexpr auto kNeutral = std::to_array<View>({
    "small",  "large",   "old",      "new",      "green",  "blue",     "grey",
    "wooden", "narrow",  "wide",     "second",   "third",  "distant",  "local",
    "long",   "short",   "round",    "tall",     "usual",  "open",     "closed",
    "empty",  "crowded", "northern", "southern", "modern", "ordinary", "middle",
    "final",  "young",   "heavy",    "painted",  "nearby", "other",
});
constexpr auto kDays = std::to_array<View>({
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "holiday",
});

constexpr auto kMildPositive = std::to_array<View>({
    "good",      "nice",       "pleasant", "decent",    "likeable", "solid",   "clever", "warm",
    "enjoyable", "amusing",    "charming", "engaging",  "graceful", "lively",  "neat",   "polished",
    "sincere",   "thoughtful", "touching", "watchable", "witty",    "capable", "fresh",  "tender",
});
constexpr auto kStrongPositive = std::to_array<View>({
    "wonderful",  "brilliant",     "superb",   "magnificent", "stunning",   "perfect",
    "marvellous", "dazzling",      "glorious", "masterful",   "delightful", "extraordinary",
    "thrilling",  "unforgettable", "splendid", "sublime",     "exquisite",  "outstanding",
    "triumphant", "breathtaking",  "flawless", "fantastic",   "excellent",  "spectacular",
});
constexpr auto kMildNegative = std::to_array<View>({
    "bad",     "dull",     "weak",    "bland",       "clumsy", "flat",     "tired",  "chilly",
    "tedious", "shallow",  "messy",   "forgettable", "stiff",  "slapdash", "sloppy", "predictable",
    "hollow",  "careless", "awkward", "dreary",      "stale",  "lazy",     "thin",   "uneven",
});
constexpr auto kStrongNegative = std::to_array<View>({
    "terrible",     "awful",       "dreadful",   "horrible",    "atrocious",    "disastrous",
    "appalling",    "unbearable",  "wretched",   "incompetent", "insufferable", "abysmal",
    "excruciating", "unwatchable", "worthless",  "pathetic",    "hideous",      "disgraceful",
    "dismal",       "laughable",   "horrendous", "miserable",   "pitiful",      "ghastly",
});
constexpr auto kNegators = std::to_array<View>({"not", "never", "hardly", "n't"});

constexpr auto kSlots = std::to_array<Slot>({
    {'N', kNouns},
    {'V', kVerbs},
    {'A', kAdverbs},
    {'P', kPlaces},
    {'M', kNeutral},
    {'D', kDays},
});

constexpr auto kDecisive = std::to_array<View>({
    "the N was ~ J",
    "the N of the N was ~ J",
    "the M N in the N was ~ J",
    "i found the N J",
    "it was a J N with a M N",
    "a J N and a M N",
    "the M N of the N felt J",
    "we saw a J N P the N",
    "my N called the N J",
    "for the N it is ~ J",
});
constexpr auto kFiller = std::to_array<View>({
    "the N V P the N",
    "my N V A P the M N",
    "there was a M N in the N",
    "the N V while the M N V",
    "we saw it with my N on a D",
    "on D the N V P the N",
    "the N of the N V A",
});
// The full stop appears three times to keep sentences short.
constexpr auto kConnectives = std::to_array<View>({".", ".", ".", ", and", ", but", ", while"});

}  // namespace

std::span<const Slot> slots() { return kSlots; }

std::span<const View> slot_words(View token) {
  if (token.size() != 1) return {};
  for (const Slot& slot : kSlots) {
    if (slot.letter == token[0]) return slot.words;
  }
  return {};
}

std::span<const View> mild_positive() { return kMildPositive; }
std::span<const View> strong_positive() { return kStrongPositive; }
std::span<const View> mild_negative() { return kMildNegative; }
std::span<const View> strong_negative() { return kStrongNegative; }
std::span<const View> negators() { return kNegators; }
std::span<const View> decisive_clauses() { return kDecisive; }
std::span<const View> filler_clauses() { return kFiller; }
std::span<const View> connectives() { return kConnectives; }

}  // namespace skim::planted
