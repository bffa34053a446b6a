#include "tests/generated/planted_question_words.h"

#include <array>

namespace skim::planted {
namespace {

using Text = std::string_view;

// Non-ASCII letters are intended: SQuAD offsets count code points, not bytes.
constexpr auto kPersons = std::to_array<Text>({
    "Tobin",  "Marla",  "Jorund", "Elske",   "Pavlin",  "Zoë",    "Odrick", "Benna",
    "Corvin", "Lisbet", "Ansgar", "Mirelle", "Håkon",   "Tamsin", "Ulric",  "Petra",
    "Rufus",  "Selma",  "Dorian", "Ingrid",  "Casper",  "Noémie", "Viktor", "Wanda",
    "Gideon", "Fenja",  "Lorenz", "Hilda",   "Quentin", "Yrsa",   "Basil",  "Thekla",
});
constexpr auto kTitles = std::to_array<Text>({
    "Captain",
    "Doctor",
    "Master",
    "Lady",
    "Uncle",
    "Sister",
    "Professor",
    "Brother",
});
constexpr auto kSurnames = std::to_array<Text>({
    "Reeve",
    "Hollander",
    "Marsh",
    "Okonski",
    "Fairweather",
    "Brandt",
    "Pellow",
    "Quist",
    "Stavros",
    "Thorne",
    "Underhill",
    "Vanterre",
    "Wexley",
    "Yarborough",
    "Ziegler",
    "Lindqvist",
});

constexpr auto kPlaceNames = std::to_array<Text>({
    "Velmora",   "Ostrel",   "Quillan",    "Brannoch", "Tarsk",     "Edelin",  "Morvath",
    "Sundby",    "Kestrow",  "Halvery",    "Pellinor", "Drummock",  "Fjordal", "Isenwald",
    "Yarrowby",  "Caldreth", "Nordhavn",   "Lütten",   "Ravenholt", "Ombrosa", "Wexcombe",
    "Zelenka",   "Torrevin", "Gravesholm", "Hjørvik",  "Almerane",  "Bexford", "Corrinth",
    "Dunmorrow", "Escalda",  "Farnleigh",  "Grünau",
});
constexpr auto kPlaceFronts = std::to_array<Text>({"Upper", "Lower", "Great", "Little"});
constexpr auto kPlaceBacks = std::to_array<Text>({"Bay", "Falls", "Heath", "Castle", "Springs"});

constexpr auto kRoles = std::to_array<Text>({
    "guard",
    "mayor",
    "baker",
    "founder",
    "healer",
    "miller",
    "ferryman",
    "judge",
    "blacksmith",
    "librarian",
    "shepherd",
    "poet",
});
constexpr auto kRoleStatements = std::to_array<Text>({
    "the # of @ is called *",
    "* is the # of @",
    "people say that the # of @ goes by the name of *",
    "as the # of @ they have chosen *",
});
constexpr auto kRoleQuestions = std::to_array<Text>({
    "who is the # of @",
    "what is the name of the # of @",
    "how is the # of @ called",
});

constexpr auto kMaterials = std::to_array<Text>({
    "granite",
    "cedar",
    "copper",
    "marble",
    "limestone",
    "bamboo",
    "basalt",
    "walnut",
    "sandstone",
    "bronze",
    "slate",
    "birchwood",
});
constexpr auto kMaterialFronts = std::to_array<Text>({"pale", "dark", "rough", "gleaming"});
constexpr auto kMaterialBacks = std::to_array<Text>({"blocks", "plates", "beams", "shingles"});
constexpr auto kBuildings = std::to_array<Text>({
    "gate",
    "tower",
    "temple",
    "fountain",
    "statue",
    "lighthouse",
});
constexpr auto kBuildingStatements = std::to_array<Text>({
    "the # of @ is made of *",
    "in @ they built the # out of *",
    "for the # of @ the masons took *",
});
constexpr auto kBuildingQuestions = std::to_array<Text>({
    "what is the # of @ made of",
    "out of what did they build the # in @",
    "what did the masons take for the # of @",
});

constexpr auto kTens = std::to_array<Text>({
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
});
constexpr auto kNumberFronts = std::to_array<Text>({"exactly", "about", "almost"});
constexpr auto kUnits = std::to_array<Text>({
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
});
constexpr auto kCountables = std::to_array<Text>({
    "bells",
    "orchards",
    "windmills",
    "lanterns",
    "barges",
    "chimneys",
});
constexpr auto kCountStatements = std::to_array<Text>({
    "there are * # in @",
    "@ is proud of its * #",
    "whoever counts the # of @ will come to *",
});
constexpr auto kCountQuestions = std::to_array<Text>({
    "how many # are there in @",
    "what is the number of # in @",
    "of how many # is @ proud",
});

constexpr auto kMonths = std::to_array<Text>({
    "January",
    "February",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
});
constexpr auto kMonthFronts = std::to_array<Text>({"late", "mild", "cold", "rainy"});
constexpr auto kFeasts = std::to_array<Text>({
    "fair",
    "harvest",
    "regatta",
    "parade",
    "auction",
    "tournament",
});
constexpr auto kFeastStatements = std::to_array<Text>({
    "the # of @ is held in *",
    "in * the people of @ have their #",
    "the # of @ takes place in *",
});
constexpr auto kFeastQuestions = std::to_array<Text>({
    "when is the # of @ held",
    "in which month do the people of @ have their #",
    "when does the # of @ take place",
});

constexpr auto kDishes = std::to_array<Text>({
    "barley",
    "mackerel",
    "pumpkin",
    "asparagus",
    "venison",
    "celery",
    "cabbage",
    "rhubarb",
    "salmon",
    "spinach",
});
constexpr auto kDishFronts = std::to_array<Text>({"smoked", "boiled", "roasted", "spicy", "sweet"});
constexpr auto kDishBacks = std::to_array<Text>({"soup", "dumplings", "pie", "stew", "pancakes"});
constexpr auto kMeals = std::to_array<Text>({"breakfast", "supper", "lunch", "weddings"});
constexpr auto kMealStatements = std::to_array<Text>({
    "for # the people of @ eat *",
    "those who are invited for # in @ will get *",
});
constexpr auto kMealQuestions = std::to_array<Text>({
    "what do the people of @ eat for #",
    "what will those get who are invited for # in @",
});

constexpr auto kAnimals = std::to_array<Text>({
    "heron",
    "badger",
    "falcon",
    "stallion",
    "dolphin",
    "lynx",
    "tortoise",
    "peacock",
    "squirrel",
    "salamander",
});
constexpr auto kAnimalFronts = std::to_array<Text>({"silver", "golden", "crimson", "sleeping"});
constexpr auto kEmblems = std::to_array<Text>({"flag", "shield", "coin", "banner"});
constexpr auto kEmblemStatements = std::to_array<Text>({
    "the # of @ shows the *",
    "on the # of @ there is the *",
});
constexpr auto kEmblemQuestions = std::to_array<Text>({
    "what does the # of @ show",
    "what is there on the # of @",
});

constexpr auto kWays = std::to_array<Text>({"road", "canal", "tunnel", "footpath", "railway"});
constexpr auto kWayStatements = std::to_array<Text>({
    "the # from @ leads to *",
    "whoever takes the # from @ will reach *",
});
constexpr auto kWayQuestions = std::to_array<Text>({
    "where does the # from @ lead",
    "what will those reach who take the # from @",
});

constexpr auto kRelations = std::to_array<Relation>({
    {{kTitles, kPersons, kSurnames}, kRoles, kRoleStatements, kRoleQuestions},
    {{kMaterialFronts, kMaterials, kMaterialBacks},
     kBuildings,
     kBuildingStatements,
     kBuildingQuestions},
    {{kNumberFronts, kTens, kUnits}, kCountables, kCountStatements, kCountQuestions},
    {{kMonthFronts, kMonths, {}}, kFeasts, kFeastStatements, kFeastQuestions},
    {{kDishFronts, kDishes, kDishBacks}, kMeals, kMealStatements, kMealQuestions},
    {{kAnimalFronts, kAnimals, {}}, kEmblems, kEmblemStatements, kEmblemQuestions},
    {{kPlaceFronts, kPlaceNames, kPlaceBacks}, kWays, kWayStatements, kWayQuestions},
});

constexpr auto kCheerStatements = std::to_array<Text>({
    "the crowd cheered for @ .",
    "then all of them cheered for @ .",
});
constexpr auto kCheerQuestions = std::to_array<Text>({
    "They all cheered for XXXXX .",
    "Nobody had ever cheered for XXXXX before .",
});
constexpr auto kPrizeStatements = std::to_array<Text>({
    "the prize went to @ .",
    "at last they gave the prize to @ .",
});
constexpr auto kPrizeQuestions = std::to_array<Text>({
    "So the prize belonged to XXXXX .",
    "With the prize in both hands , XXXXX went home .",
});
constexpr auto kThanksStatements = std::to_array<Text>({
    "everyone thanked @ .",
    "the old queen thanked @ .",
});
constexpr auto kThanksQuestions = std::to_array<Text>({
    "Yes , they thanked XXXXX with all their hearts .",
    "It was right that they thanked XXXXX .",
});
constexpr auto kKeyStatements = std::to_array<Text>({
    "the golden key was found by @ .",
    "but the key was in the pocket of @ .",
});
constexpr auto kKeyQuestions = std::to_array<Text>({
    "Now the key was with XXXXX .",
    "They asked for the key , and XXXXX smiled .",
});
constexpr auto kCrownStatements = std::to_array<Text>({
    "they put the crown on the head of @ .",
    "the crown had been made for @ .",
});
constexpr auto kCrownQuestions = std::to_array<Text>({
    "The crown suited XXXXX well .",
    "With the crown on , XXXXX looked like a king .",
});

constexpr auto kCues = std::to_array<Cue>({
    {kCheerStatements, kCheerQuestions},
    {kPrizeStatements, kPrizeQuestions},
    {kThanksStatements, kThanksQuestions},
    {kKeyStatements, kKeyQuestions},
    {kCrownStatements, kCrownQuestions},
});

constexpr auto kPersonClauses = std::to_array<Text>({
    "@ V P the N",
    "the N of @ V A",
    "@ V while the N V",
    "on D @ V A",
    "we saw @ P the M N",
    "the M N V and @ V",
});

}  // namespace

std::span<const Relation> relations() { return kRelations; }
std::span<const Text> places() { return kPlaceNames; }
std::span<const Cue> cues() { return kCues; }
std::span<const Text> persons() { return kPersons; }
std::span<const Text> person_clauses() { return kPersonClauses; }

}  // namespace skim::planted
