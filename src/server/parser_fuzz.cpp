// Fuzzes RequestParser: splitting the input at any byte must not change the result.
#include <cstdint>
#include <cstdlib>

#include "server/parser.h"

namespace {

using skim::server::RequestParser;

struct Parsed {
  RequestParser::State state = RequestParser::State::incomplete;
  int status = 0;
  std::string method, path, body;
  bool operator==(const Parsed&) const = default;
};

Parsed parsed_by(const RequestParser& parser, RequestParser::State state) {
  if (state == RequestParser::State::invalid) return {state, parser.error().status, {}, {}, {}};
  if (state == RequestParser::State::incomplete) return {};
  const auto& request = parser.request();
  return {state, 0, std::string(request.method), std::string(request.path),
          std::string(request.body)};
}

Parsed first_request(std::string_view bytes, std::size_t split) {
  skim::server::Limits limits;
  limits.head_bytes = 256;
  limits.body_bytes = 64;
  RequestParser parser(limits);
  std::string buffer(bytes.substr(0, split));
  auto state = parser.advance(buffer);
  if (state == RequestParser::State::incomplete) {
    buffer.append(bytes.substr(split));
    state = parser.advance(buffer);
  }
  return parsed_by(parser, state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const Parsed whole = first_request(bytes, bytes.size());
  const Parsed in_two_parts = first_request(bytes, bytes.empty() ? 0 : data[0] % bytes.size());
  if (!(whole == in_two_parts)) std::abort();
  return 0;
}
