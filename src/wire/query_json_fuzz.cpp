// Parses queries as the server and `skim run` do. A query must survive being written and parsed
// again.
#include <cstdint>
#include <string_view>

#include "tests/support/fuzz_json.h"
#include "wire/query_json.h"

namespace {

using skim::Json;
using skim::fuzz::require;

bool is_same(const skim::Query& left, const skim::Query& right) {
  return left.text == right.text && left.question == right.question &&
         left.choices == right.choices;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static skim::JsonParser parser;
  auto document = parser.parse(skim::fuzz::as_text(data, size), "fuzz");
  if (!document) return 0;
  const Json before = *document;
  const auto query = skim::parse_query(*document);
  if (!query) {
    const skim::FieldError& error = query.error();
    require(error.message.starts_with(error.field) && !error.message.empty(),
            "an error names its field");
    return 0;
  }
  require(before["text"] == query->text, "the text is that of the document");
  Json written = {
      {"text", query->text}, {"question", query->question}, {"choices", query->choices}};
  const auto again = skim::parse_query(written);
  require(again && is_same(*again, *query), "a written query parses to itself");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  skim::fuzz::MutationRng random(seed);
  return skim::fuzz::mutate_json_text(data, size, max, random);
}
