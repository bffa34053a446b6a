# Run by `cmake -P`: writes the files of web/ and docs/openapi.json as a C++ source, so that the program needs no file
# beside it. WEB, DESCRIPTION and OUT name folder, file and source.
set(type_html "text/html; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_txt "text/plain; charset=utf-8")
set(type_json application/json)
set(type_svg image/svg+xml)
set(type_png image/png)
set(type_ico image/x-icon)

function(append_bytes name file)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(APPEND ${OUT} "const unsigned char ${name}[] = {${bytes}0};\n")
endfunction()

file(WRITE ${OUT} "// Made by cmake/Embed.cmake.\n#include \"server/page.h\"\n\nnamespace skim::server {\nnamespace {\n\n")
file(GLOB files ${WEB}/*)
set(entries "")
foreach(file IN LISTS files)
  cmake_path(GET file FILENAME name)
  cmake_path(GET file EXTENSION LAST_ONLY ending)
  string(SUBSTRING "${ending}" 1 -1 ending)
  if(NOT DEFINED type_${ending})
    message(FATAL_ERROR "${file}: cmake/Embed.cmake has no content type for this extension")
  endif()
  file(SHA256 ${file} sum)
  string(SUBSTRING ${sum} 0 16 sum)
  string(MAKE_C_IDENTIFIER "k_${name}" symbol)
  append_bytes(${symbol} ${file})
  set(path "/${name}")
  if(name STREQUAL index.html)
    set(path "/")
  endif()
  string(APPEND entries "    {\"${path}\", \"${type_${ending}}\", \"\\\"${sum}\\\"\", bytes_of(${symbol})},\n")
endforeach()
append_bytes(k_description ${DESCRIPTION})
file(APPEND ${OUT} "
// Excludes the trailing zero, which keeps the array of an empty file non-empty.
template <std::size_t size>
std::string_view bytes_of(const unsigned char (&bytes)[size]) {
  return {reinterpret_cast<const char*>(bytes), size - 1};
}

}  // namespace

std::span<const PageFile> page_files() {
  static const PageFile files[] = {
${entries}  };
  return files;
}

std::string_view api_description() { return bytes_of(k_description); }

}  // namespace skim::server
")
