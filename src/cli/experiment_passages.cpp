#include "cli/experiment_passages.h"

#include <algorithm>
#include <vector>

#include "base/file.h"

namespace skim::cli {

Result<std::optional<Section>> drawn_passages(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".svg") files.push_back(entry.path());
  if (files.empty()) return std::nullopt;
  std::sort(files.begin(), files.end());
  Section section;
  section.heading = "Passages, layer by layer";
  section.paragraphs = {
      "Written for this project, and drawn by `tools/draw_passages`. Under each word a bar for "
      "each layer and direction, dark where that layer read the word; the answer stands in colour. "
      "The same on a terminal: `skim read --question \"QUESTION\" \"TEXT\"`."};
  for (const fs::path& file : files) {
    auto svg = read_text(file);
    if (!svg) return tl::make_unexpected(svg.error());
    section.drawings.push_back({file.filename().string(), file.stem().string(), std::move(*svg)});
  }
  return section;
}

}  // namespace skim::cli
