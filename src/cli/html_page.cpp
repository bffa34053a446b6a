#include "cli/html_page.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "base/json_text.h"
#include "base/utf8.h"
#include "server/page.h"
#include "skim/version.h"
#include "spec/names.h"

namespace skim::cli {
namespace {

constexpr std::string_view kContentSecurityPolicy =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'\">\n";

// The embedded file `path`, "/" for index.html.
std::string_view web_file(std::string_view path) {
  const auto files = server::page_files();
  const auto found = std::find_if(files.begin(), files.end(), [path](const server::PageFile& file) {
    return file.path == path;
  });
  assert(found != files.end());
  return found->bytes;
}

// Removes and returns the start of `rest` up to the end of the first `mark`, or all of it.
std::string_view take_through(std::string_view& rest, std::string_view mark) {
  const std::size_t at = rest.find(mark);
  const std::string_view taken = rest.substr(0, at == rest.npos ? at : at + mark.size());
  rest.remove_prefix(taken.size());
  return taken;
}

// Omits the parts of index.html between <!--server--> and <!--/server-->.
std::string without_server_parts(std::string_view html) {
  constexpr std::string_view begin = "<!--server-->", end = "<!--/server-->";
  std::string out;
  while (!html.empty()) {
    std::string_view kept = take_through(html, begin);
    if (kept.ends_with(begin)) kept.remove_suffix(begin.size());
    out += kept;
    take_through(html, end);
  }
  return out;
}

struct Bundle {
  std::vector<std::string_view> modules;
  std::string code;
};

// Appends a module after the modules that it imports, each of them once, without import statements
// and export keywords. Browsers cannot import modules from files, only run inline ones.
void append_module(std::string_view path, Bundle& bundle) {
  if (std::find(bundle.modules.begin(), bundle.modules.end(), path) != bundle.modules.end()) return;
  bundle.modules.push_back(path);
  std::string code;
  for (std::string_view rest = web_file(path); !rest.empty();) {
    if (rest.starts_with("import ")) {
      const std::string_view statement = take_through(rest, ";\n");
      const std::size_t slash = statement.find("'./") + 2;
      append_module(statement.substr(slash, statement.rfind('\'') - slash), bundle);
    } else {
      if (rest.starts_with("export ")) take_through(rest, " ");
      code += take_through(rest, "\n");
    }
  }
  bundle.code += code;
}

// Replaces each byte of invalid UTF-8 by a question mark. The offsets of the words stay valid.
std::string replace_invalid_bytes(std::string_view text) {
  std::string out(text);
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) out[at] = '?';
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

// A JSON object with the fields that web/static.js reads.
std::string page_data(const ReadingView& view, std::string_view model_json) {
  std::string out = "{\"version\":\"" SKIM_VERSION "\",\"model\":" + std::string(model_json);
  out += ",\"policy\":{\"rule\":\"" + std::string(to_string(view.policy.rule)) + "\",\"seed\":\"" +
         std::to_string(view.policy.seed) + "\"},\"query\":{\"text\":";
  append_json(out, view.text);
  out += ",\"question\":";
  append_json(out, view.question);
  out += "},\"reading\":";
  append_reading(out, view, {.words = true, .passes = true});
  return out + "}";
}

// A data block for web/static.js. JSON has '<' in strings only; escaped there, it cannot end the
// block.
std::string data_block(std::string_view json) {
  std::string out = "<script type=\"application/json\" id=\"data\">";
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out + "</script>\n";
}

}  // namespace

std::string html_page(const ReadingView& view, std::string_view model_json) {
  ReadingView valid = view;
  const std::string text = replace_invalid_bytes(view.text);
  const std::string question = replace_invalid_bytes(view.question);
  valid.text = text;
  valid.question = question;
  Bundle bundle;
  append_module("/static.js", bundle);
  const std::string html = without_server_parts(web_file("/"));
  std::string_view rest = html;
  std::string page(take_through(rest, "<meta charset=\"utf-8\">\n"));
  page += kContentSecurityPolicy;
  const std::size_t head_end = rest.find("</head>");
  page += rest.substr(0, head_end);
  page += "<style>\n" + std::string(web_file("/style.css")) + "</style>\n";
  page += data_block(page_data(valid, model_json));
  page += "<script type=\"module\">\n" + bundle.code + "</script>\n";
  page += rest.substr(head_end);
  return page;
}

}  // namespace skim::cli
