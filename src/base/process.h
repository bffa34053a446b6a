// Other programs: started, fed, listened to, waited for.
#pragma once

#include <string>
#include <vector>

#include "skim/result.h"

namespace skim {

struct Program {
  std::vector<std::string> command;  // the program, by path or found on the PATH, and its arguments
  std::string input;                 // what it finds on standard input
};

struct Ended {
  int status = 0;      // its exit code, or 128 and the number of the signal that ended it
  std::string output;  // what it said on standard output
};

// Waits until it ends. SIGINT and SIGTERM that reach this program meanwhile are handed on, and it
// is still waited for: programs that put work aside get the time to do so. Its standard error is
// ours. An error when it cannot be started at all. One at a time.
Result<Ended> run_program(const Program& program);

}  // namespace skim
