#include "server/parser.h"

#include <gtest/gtest.h>

namespace skim::server {
namespace {

using State = RequestParser::State;

Limits small_limits() {
  Limits limits;
  limits.head_bytes = 400;
  limits.headers = 5;
  limits.body_bytes = 20;
  return limits;
}

constexpr std::string_view kHost = "Host: here\r\n";

std::string get(std::string_view headers) {
  return "GET /a HTTP/1.1\r\n" + std::string(kHost) + std::string(headers) + "\r\n";
}

std::string post(std::string_view headers, std::string_view body) {
  return "POST /b HTTP/1.1\r\n" + std::string(kHost) + std::string(headers) + "\r\n" +
         std::string(body);
}

// The error status of the parser; 0 when there is no error.
int error_status(std::string bytes) {
  RequestParser parser(small_limits());
  return parser.advance(bytes) == State::invalid ? parser.error().status : 0;
}

TEST(RequestParser, ParsesMethodPathHeadersAndBody) {
  RequestParser parser(small_limits());
  std::string bytes = post("X-Thing:  some value \r\nContent-Length: 5\r\n", "hello");
  ASSERT_EQ(parser.advance(bytes), State::complete);
  EXPECT_EQ(parser.request().method, "POST");
  EXPECT_EQ(parser.request().path, "/b");
  EXPECT_EQ(parser.request().header("x-thing"), "some value");
  EXPECT_EQ(parser.request().header("missing"), "");
  EXPECT_EQ(parser.request().body, "hello");
  EXPECT_TRUE(parser.keep_alive());
}

TEST(RequestParser, ParsingByteByByteEqualsParsingAtOnce) {
  const std::string whole =
      post("Transfer-Encoding: chunked\r\n", "3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n");
  RequestParser parser(small_limits());
  std::string bytes;
  for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
    bytes += whole[i];
    ASSERT_EQ(parser.advance(bytes), State::incomplete) << i;
  }
  bytes += whole.back();
  ASSERT_EQ(parser.advance(bytes), State::complete);
  EXPECT_EQ(parser.request().body, "hello");
  EXPECT_EQ(parser.request().path, "/b");
  parser.finish(bytes);
  EXPECT_EQ(bytes, "");
}

TEST(RequestParser, ParsesPipelinedRequestsInOrder) {
  RequestParser parser(small_limits());
  std::string bytes = post("Content-Length: 2\r\n", "ab") +
                      post("Transfer-Encoding: chunked\r\n", "2\r\ncd\r\n0\r\n\r\n") + get("");
  for (const std::string_view body : {"ab", "cd", ""}) {
    ASSERT_EQ(parser.advance(bytes), State::complete);
    EXPECT_EQ(parser.request().body, body);
    parser.finish(bytes);
  }
  EXPECT_EQ(bytes, "");
  EXPECT_EQ(parser.advance(bytes), State::incomplete);
}

TEST(RequestParser, TinyChunksHoldNoMoreMemoryThanTheirData) {
  RequestParser parser(small_limits());
  std::string bytes = post("Transfer-Encoding: chunked\r\n", "");
  const std::size_t head = bytes.size();
  for (int i = 0; i < 20; ++i) {
    bytes += "1;" + std::string(100, 'x') + "\r\na\r\n";
    ASSERT_EQ(parser.advance(bytes), State::incomplete);
    EXPECT_LE(bytes.size(), head + 20);
  }
}

TEST(RequestParser, PathExcludesQueryStringAndHost) {
  for (const std::string target : {"/a?b=c", "http://here/a", "http://here:80/a?b"}) {
    RequestParser parser(small_limits());
    std::string bytes = "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
    ASSERT_EQ(parser.advance(bytes), State::complete) << target;
    EXPECT_EQ(parser.request().path, "/a");
  }
}

// "http://h?x=/metrics" was routed to /metrics.
TEST(RequestParser, TheHostOfAnAbsoluteTargetEndsAtAQuery) {
  for (const std::string target :
       {"http://h?x=/metrics", "http://h#/metrics", "HTTP://h", "http://h/?x=/metrics"}) {
    RequestParser parser(small_limits());
    std::string bytes = "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
    ASSERT_EQ(parser.advance(bytes), State::complete) << target;
    EXPECT_EQ(parser.request().path, "/") << target;
    EXPECT_EQ(parser.request().host, "h") << target;
  }
  for (const std::string target : {"http://", "http:///a", "http://user@h/a", "https://h/a"}) {
    EXPECT_EQ(error_status("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n"), 400) << target;
  }
}

TEST(RequestParser, TheHostComesFromTheTargetOrTheHeader) {
  const auto host = [](std::string bytes) {
    RequestParser parser(small_limits());
    EXPECT_EQ(parser.advance(bytes), State::complete) << bytes;
    return std::string(parser.request().host.value_or("none"));
  };
  EXPECT_EQ(host("GET / HTTP/1.1\r\nHost: a:80\r\n\r\n"), "a:80");
  EXPECT_EQ(host("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n"), "b");
  EXPECT_EQ(host("GET / HTTP/1.1\r\nHost:\r\n\r\n"), "");
  EXPECT_EQ(host("GET / HTTP/1.0\r\n\r\n"), "none");
  for (const std::string value : {"a b", "a/b", "user@a", "a\\b", "a, b\"", "<a>"}) {
    EXPECT_EQ(error_status("GET / HTTP/1.1\r\nHost: " + value + "\r\n\r\n"), 400) << value;
  }
}

TEST(RequestParser, KeepsTheHeadOfARequestWithAnInvalidBody) {
  for (const std::string& bytes :
       {post("Content-Length: 21\r\n", ""), post("Transfer-Encoding: chunked\r\n", "x\r\n"),
        post("Expect: miracles\r\n", ""), post("Content-Length: 5\r\n", "abc")}) {
    RequestParser parser(small_limits());
    std::string buffer = bytes;
    EXPECT_NE(parser.advance(buffer), State::complete);
    std::string moved = buffer + std::string(1000, 'x');  // reallocated, as by receiving more
    buffer.swap(moved);
    moved.assign(moved.size(), '#');
    const Request* head = parser.head(buffer);
    ASSERT_NE(head, nullptr) << bytes;
    EXPECT_EQ(head->method, "POST");
    EXPECT_EQ(head->path, "/b");
    EXPECT_EQ(head->header("host"), "here");
  }
  for (std::string bytes :
       {"POST /b HT", "POST b HTTP/1.1\r\n\r\n", "POST /b HTTP/1.1\r\nx\r\n\r\n"}) {
    RequestParser parser(small_limits());
    EXPECT_NE(parser.advance(bytes), State::complete);
    EXPECT_EQ(parser.head(bytes), nullptr) << bytes;
  }
}

TEST(RequestParser, KeepAliveFollowsVersionAndConnectionHeader) {
  const auto keep_alive = [](std::string bytes) {
    RequestParser parser(small_limits());
    EXPECT_EQ(parser.advance(bytes), State::complete);
    return parser.keep_alive();
  };
  EXPECT_TRUE(keep_alive(get("")));
  EXPECT_FALSE(keep_alive(get("Connection: Close\r\n")));
  EXPECT_FALSE(keep_alive(get("Connection: x, close\r\n")));
  EXPECT_FALSE(keep_alive("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_FALSE(keep_alive("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(RequestParser, ReportsExpectContinueOnce) {
  RequestParser parser(small_limits());
  std::string bytes = post("Expect: 100-continue\r\nContent-Length: 2\r\n", "");
  EXPECT_EQ(parser.advance(bytes), State::incomplete);
  EXPECT_TRUE(parser.take_expect_continue());
  EXPECT_FALSE(parser.take_expect_continue());
  EXPECT_EQ(error_status(post("Expect: miracles\r\n", "")), 417);
}

TEST(RequestParser, RejectsMalformedRequestLines) {
  EXPECT_EQ(error_status("hello\r\n\r\n"), 400);
  EXPECT_EQ(error_status("GET /\r\n\r\n"), 400);
  EXPECT_EQ(error_status("GET / FTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(error_status("G\x01T / HTTP/1.1\r\nHost: x\r\n\r\n"), 400);
  EXPECT_EQ(error_status("GET a HTTP/1.1\r\nHost: x\r\n\r\n"), 400);
  EXPECT_EQ(error_status("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"), 400);
  EXPECT_EQ(error_status("GET / HTTP/2.0\r\nHost: x\r\n\r\n"), 505);
  EXPECT_EQ(error_status(std::string("GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n", 29)), 400);
}

TEST(RequestParser, RejectsAmbiguousHeaders) {
  EXPECT_EQ(error_status(get("Name : x\r\n")), 400);
  EXPECT_EQ(error_status(get(" folded\r\n")), 400);
  EXPECT_EQ(error_status(get("no colon\r\n")), 400);
  EXPECT_EQ(error_status(get("Name: a\nOther: b\r\n")), 400);
  EXPECT_EQ(error_status(get("Name: a\rb\r\n")), 400);
  EXPECT_EQ(error_status(get("Host: again\r\n")), 400);
  EXPECT_EQ(error_status("GET / HTTP/1.1\r\n\r\n"), 400);
}

TEST(RequestParser, RejectsAmbiguousBodyLengths) {
  EXPECT_EQ(error_status(post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "")), 400);
  EXPECT_EQ(error_status(post("Content-Length: 2\r\nContent-Length: 2\r\n", "")), 400);
  EXPECT_EQ(error_status(post("Content-Length: +2\r\n", "")), 400);
  EXPECT_EQ(error_status(post("Content-Length: 2,2\r\n", "")), 400);
  EXPECT_EQ(error_status(post("Content-Length:\r\n", "")), 400);
  EXPECT_EQ(error_status(post("Transfer-Encoding: gzip\r\n", "")), 501);
  EXPECT_EQ(error_status(post("Transfer-Encoding: chunked, chunked\r\n", "")), 501);
  EXPECT_EQ(error_status("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  for (const std::string body :
       {"x\r\n", "-1\r\n", "0x2\r\n", "\r\n", "2\r\nabc\r\n", " \r\n", "2 \r\nab\r\n",
        " 2\r\nab\r\n", "2\t\r\nab\r\n", "2 ;x\r\nab\r\n"}) {
    EXPECT_EQ(error_status(post("Transfer-Encoding: chunked\r\n", body)), 400) << body;
  }
}

TEST(RequestParser, RejectsRequestsBeyondTheLimits) {
  EXPECT_EQ(error_status(get("X: " + std::string(500, 'a') + "\r\n")), 431);
  EXPECT_EQ(error_status("GET /" + std::string(500, 'a')), 431);
  EXPECT_EQ(error_status(get("A: b\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\n")), 431);
  EXPECT_EQ(error_status(post("Content-Length: 21\r\n", "")), 413);
  EXPECT_EQ(error_status(post("Content-Length: 99999999999999999999999\r\n", "")), 413);
  EXPECT_EQ(error_status(post("Transfer-Encoding: chunked\r\n", "15\r\n")), 413);
  EXPECT_EQ(error_status(post("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n")), 400);
  EXPECT_EQ(error_status(post("Transfer-Encoding: chunked\r\n",
                              "a\r\n0123456789\r\na\r\n0123456789\r\n1\r\n")),
            413);
}

TEST(RequestParser, RejectsMalformedTrailers) {
  const auto with_trailer = [](const std::string& trailer) {
    return post("Transfer-Encoding: chunked\r\n", "2\r\nab\r\n0\r\n" + trailer + "\r\n\r\n");
  };
  EXPECT_EQ(error_status(with_trailer("Digest: abc")), 0);
  EXPECT_EQ(error_status(with_trailer("Digest: " + std::string(300, 'a'))), 0);
  for (const std::string trailer : {"GET /metrics HTTP/1.1", " folded: x", "a : b", ": b",
                                    "a: \x01", "a: b\nc: d", "a: b\rc: d"}) {
    EXPECT_EQ(error_status(with_trailer(trailer)), 400) << trailer;
  }
  EXPECT_EQ(error_status(with_trailer("Digest: " + std::string(500, 'a'))), 431);
  EXPECT_EQ(
      error_status(with_trailer("A: " + std::string(250, 'a') + "\r\nB: " + std::string(250, 'b'))),
      431);
}

TEST(RequestParser, IgnoresAFewEmptyLinesBeforeARequest) {
  EXPECT_EQ(error_status("\r\n" + get("")), 0);
  EXPECT_EQ(error_status("\r\n\r\n\r\n\r\n" + get("")), 0);
  EXPECT_EQ(error_status("\r\n\r\n\r\n\r\n\r\n" + get("")), 400);
}

// Each of them was removed by moving all that followed: 1 MiB took a second.
TEST(RequestParser, CountsEmptyLinesThatArriveOneByOne) {
  RequestParser parser(small_limits());
  std::string bytes;
  State state = State::incomplete;
  std::size_t count = 0;
  for (; state == State::incomplete && count < 1000; ++count) {
    bytes += "\r\n";
    state = parser.advance(bytes);
  }
  EXPECT_EQ(state, State::invalid);
  EXPECT_EQ(parser.error().status, 400);
  EXPECT_EQ(count, 5U);
}

}  // namespace
}  // namespace skim::server
