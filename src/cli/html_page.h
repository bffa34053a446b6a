// The web page (web/) as one file that needs no server.
#pragma once

#include <string>
#include <string_view>

#include "wire/reading_json.h"

namespace skim::cli {

// Returns an HTML page that shows the reading: the web page with its style sheet, its rendering
// modules and the reading as inline JSON, without the parts that need a server. A content security
// policy prevents the page from loading anything. `model_json` is the text of describe_model().
std::string html_page(const ReadingView& view, std::string_view model_json);

}  // namespace skim::cli
