// The files of web/ and the description of the API, which are part of the program.
#pragma once

#include <span>
#include <string_view>

namespace skim::server {

struct PageFile {
  std::string_view path;  // "/" for index.html, else "/name"
  std::string_view type;
  std::string_view etag;  // with its quotes
  std::string_view bytes;
};

// Made by cmake/Embed.cmake.
std::span<const PageFile> page_files();
std::string_view api_description();  // docs/openapi.json

}  // namespace skim::server
