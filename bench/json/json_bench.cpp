// Compares JSON libraries on the bodies of requests and on the words of a reading:
// `json_bench [ROUNDS]`. Prints microseconds per document, the minimum over interleaved rounds.
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/json_text.h"

namespace {

using skim::Json;

// Keeps the results alive, so that the compiler omits no work.
std::size_t total = 0;

constexpr std::string_view kSentence =
    "The plot is \\\"thin\\\", but the caf\u00E9 scene at the end is wonderful.<br />";

std::string text_body(int sentences) {
  std::string body = R"({"text": ")";
  for (int i = 0; i < sentences; ++i) body += kSentence;
  return body + "\"}";
}

std::string batch_body(int texts) {
  std::string body = R"({"texts": [)";
  for (int i = 0; i < texts; ++i) {
    body += i == 0 ? "\"" : ", \"";
    for (int j = 0; j < 16; ++j) body += kSentence;
    body += "\"";
  }
  return body + R"(], "budget": 0.25, "words": true})";
}

struct Case {
  std::string name;
  std::function<void()> run;
  double microseconds = std::numeric_limits<double>::infinity();
};

void run_rapidjson(const std::string& body) {
  constexpr unsigned kFlags =
      rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag;
  rapidjson::Document document;
  document.Parse<kFlags>(body.data(), body.size());
  total += document.IsObject() ? 1U : 0U;
}

std::vector<Case> parsers(const std::string& body, skim::JsonParser& parser,
                          simdjson::dom::parser& dom) {
  return {
      {"parse_json", [&] { total += skim::parse_json(body, "body")->size(); }},
      {"JsonParser", [&] { total += parser.parse(body, "body")->size(); }},
      {"nlohmann::json", [&] { total += Json::parse(body).size(); }},
      {"RapidJSON, its own document", [&] { run_rapidjson(body); }},
      {"simdjson, its own document", [&] { total += dom.parse(body).error() == 0 ? 1U : 0U; }},
  };
}

constexpr int kWords = 250;
double probability(int word) { return 0.0123456 * word; }

void write_json_text() {
  std::string out = "{\"words\":[";
  for (int i = 0; i < kWords; ++i) {
    out += i == 0 ? "{\"text\":" : ",{\"text\":";
    skim::append_json(out, std::string_view("example"));
    out += ",\"begin\":";
    skim::append_json(out, i * 8);
    out += ",\"end\":";
    skim::append_json(out, i * 8 + 7);
    out += ",\"p_read\":";
    skim::append_json(out, probability(i));
    out += "}";
  }
  total += (out += "]}").size();
}

void write_nlohmann() {
  Json document;
  Json& words = document["words"];
  for (int i = 0; i < kWords; ++i)
    words.push_back(
        {{"text", "example"}, {"begin", i * 8}, {"end", i * 8 + 7}, {"p_read", probability(i)}});
  total += document.dump().size();
}

void write_rapidjson() {
  rapidjson::StringBuffer out;
  // Checks UTF-8, as append_json does.
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>,
                    rapidjson::CrtAllocator, rapidjson::kWriteValidateEncodingFlag>
      writer(out);
  writer.StartObject();
  writer.Key("words");
  writer.StartArray();
  for (int i = 0; i < kWords; ++i) {
    writer.StartObject();
    writer.Key("text");
    writer.String("example", 7);
    writer.Key("begin");
    writer.Int(i * 8);
    writer.Key("end");
    writer.Int(i * 8 + 7);
    writer.Key("p_read");
    writer.Double(probability(i));
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  total += out.GetSize();
}

double measure(const std::function<void()>& run, int repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) run();
  const auto time = std::chrono::steady_clock::now() - start;
  return std::chrono::duration<double, std::micro>(time).count() / repeats;
}

void compare(const std::string& title, std::vector<Case> cases, int rounds, int repeats) {
  for (int round = 0; round < rounds; ++round)
    for (Case& each : cases)
      each.microseconds = std::min(each.microseconds, measure(each.run, repeats));
  std::printf("%s\n", title.c_str());
  for (const Case& each : cases)
    std::printf("  %-28s %9.2f\n", each.name.c_str(), each.microseconds);
}

}  // namespace

int main(int count, char** values) {
  const int rounds = count > 1 ? std::max(1, std::atoi(values[1])) : 50;
  skim::JsonParser parser;
  simdjson::dom::parser dom;
  for (const auto& [body, repeats] : {std::pair(std::string(R"({"text": "A slow start, but )"
                                                            R"(the ending is good."})"),
                                                2000),
                                      {text_body(18), 500},
                                      {batch_body(25), 20}}) {
    compare("parse " + std::to_string(body.size()) + " bytes", parsers(body, parser, dom), rounds,
            repeats);
  }
  compare("write " + std::to_string(kWords) + " words",
          {{"append_json", write_json_text},
           {"RapidJSON", write_rapidjson},
           {"nlohmann::json", write_nlohmann}},
          rounds, 50);
  std::fprintf(stderr, "checksum %zu\n", total);
}
