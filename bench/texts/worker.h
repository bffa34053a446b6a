// What the C++ workers of bench/texts share: the questions they answer. See bench/README.md.
#pragma once

#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace texts {

inline std::vector<std::string> load_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Answers questions until standard input ends: "load FILE" with the number of texts, one per line,
// that it now holds; "run N" with the seconds that N passes over them took, from text to label;
// "answers" with the label of each. `pass` takes all texts and a function that it calls with the
// label of each in turn.
template <class Pass>
int serve_passes(Pass&& pass) {
  std::cout.precision(9);
  std::cout << "ready" << std::endl;
  std::vector<std::string> texts;
  for (std::string verb; std::cin >> verb;) {
    if (verb == "load") {
      std::string path;
      std::getline(std::cin >> std::ws, path);
      texts = load_lines(path);
      std::cout << texts.size() << std::endl;
    } else if (verb == "run") {
      long passes = 0;
      std::cin >> passes;
      const auto begin = std::chrono::steady_clock::now();
      for (long done = 0; done < passes; ++done) pass(texts, [](const auto&) {});
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      std::cout << took.count() << std::endl;
    } else {
      pass(texts, [](const auto& label) { std::cout << label << ' '; });
      std::cout << std::endl;
    }
  }
  return 0;
}

// The same for one text per call: `answer` takes a text and returns something printable.
template <class Answer>
int serve(Answer&& answer) {
  return serve_passes([&](const std::vector<std::string>& texts, auto&& show) {
    for (const std::string& text : texts) show(answer(text));
  });
}

}  // namespace texts
