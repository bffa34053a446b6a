// Shared code of the C++ workers of the comparison: the problem file and the line protocol. See
// bench/README.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace peers {

// The weights of one LSTM, gates in the order i f g o, and one text as embeddings.
struct Problem {
  std::size_t d = 0, words = 0;
  std::vector<float> weight_ih, weight_hh, bias;  // [4d, d], [4d, d], [4d]
  std::vector<float> x;                           // [words, d]
};

inline Problem load_problem(const std::string& path, std::size_t d, std::size_t words) {
  Problem problem{d,
                  words,
                  std::vector<float>(4 * d * d),
                  std::vector<float>(4 * d * d),
                  std::vector<float>(4 * d),
                  std::vector<float>(words * d)};
  std::ifstream in(path, std::ios::binary);
  for (std::vector<float>* part :
       {&problem.weight_ih, &problem.weight_hh, &problem.bias, &problem.x}) {
    in.read(reinterpret_cast<char*>(part->data()),
            static_cast<std::streamsize>(part->size() * sizeof(float)));
  }
  if (!in) std::fprintf(stderr, "%s: too short\n", path.c_str());
  return problem;
}

// Serves commands until standard input ends: "run N" reads the text N times and prints the seconds,
// "state" prints the last hidden state. `read` reads the text once and returns that state.
template <class Read>
int serve(const std::string& version, std::size_t d, const Read& read) {
  std::cout.precision(9);
  std::cout << "ready " << version << std::endl;
  for (std::string command; std::cin >> command;) {
    if (command == "run") {
      long count = 0;
      std::cin >> count;
      const auto begin = std::chrono::steady_clock::now();
      for (long i = 0; i < count; ++i) read();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      std::cout << took.count() << std::endl;
    } else {
      const float* state = read();
      for (std::size_t i = 0; i < d; ++i) std::cout << state[i] << ' ';
      std::cout << std::endl;
    }
  }
  return 0;
}

}  // namespace peers
