// The handlers of POST /v1/read and POST /v1/read/batch.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "server/handler_context.h"
#include "server/message.h"
#include "server/read_request.h"

namespace skim::server {

Response handle_read(const HandlerContext& context, const Request& request, Outcome& outcome);
Response handle_batch(const HandlerContext& context, const Request& request, Outcome& outcome);

// Requests for POST /v1/read whose texts are read together. Every response equals that of
// handle_read, except for the time in it: a request that cannot be read together with others or
// that fails is handled by handle_read.
class ReadGroup {
 public:
  static constexpr std::size_t kMaxRequests = 16;

  // Parses the requests and reads their texts. Borrows the context and the requests. Never throws.
  ReadGroup(const HandlerContext& context, std::span<const Request* const> requests) noexcept;
  ReadGroup(const ReadGroup&) = delete;
  ReadGroup& operator=(const ReadGroup&) = delete;
  ~ReadGroup() { context_.worker.clear_texts(context_.models); }

  // Whether the text of a request has been read, so that `respond` takes little time.
  bool has_read(std::size_t index) const { return reading(index) != nullptr; }
  Response respond(std::size_t index, Outcome& outcome) const;

 private:
  void parse(std::span<const Request* const> requests);
  void read();
  const Reading* reading(std::size_t index) const;

  // A request that can be read together with others, and the index of its text.
  struct Member {
    ReadRequest parsed;
    std::optional<std::size_t> text = {};
  };
  const HandlerContext& context_;
  std::span<const Request* const> requests_;
  std::array<std::optional<Member>, kMaxRequests> members_;
};

}  // namespace skim::server
