// Any bytes as requests, in two pieces: the same must come out wherever they are cut, and no more
// memory be held than the limits allow.
#include <cstdint>
#include <cstdlib>

#include "server/parser.h"

namespace {

using skim::server::RequestParser;

struct Seen {
  RequestParser::State state = RequestParser::State::more;
  int status = 0;
  std::string method, path, body;
  bool operator==(const Seen&) const = default;
};

Seen seen_by(const RequestParser& parser, RequestParser::State state) {
  if (state == RequestParser::State::refused) return {state, parser.refusal().status, {}, {}, {}};
  if (state == RequestParser::State::more) return {};
  const auto& request = parser.request();
  return {state, 0, std::string(request.method), std::string(request.path),
          std::string(request.body)};
}

Seen first_request(std::string_view bytes, std::size_t cut) {
  skim::server::Limits limits;
  limits.head_bytes = 256;
  limits.body_bytes = 64;
  RequestParser parser(limits);
  std::string buffer(bytes.substr(0, cut));
  auto state = parser.advance(buffer);
  if (state == RequestParser::State::more) {
    buffer.append(bytes.substr(cut));
    state = parser.advance(buffer);
  }
  return seen_by(parser, state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const Seen whole = first_request(bytes, bytes.size());
  const Seen parted = first_request(bytes, bytes.empty() ? 0 : data[0] % bytes.size());
  if (!(whole == parted)) std::abort();
  return 0;
}
