// Parses arbitrary bytes as JSON. A document must survive being written and parsed again.
#include <cstdint>
#include <cstdlib>

#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = skim::parse_json(text, "fuzz");
  if (!parsed) {
    const bool short_and_named =
        parsed.error().message.starts_with("fuzz") && parsed.error().message.size() < 400;
    if (!short_and_named) std::abort();
    return 0;
  }
  const auto again = skim::parse_json(skim::to_text(*parsed), "again");
  if (!again || *again != *parsed) std::abort();
  return 0;
}
