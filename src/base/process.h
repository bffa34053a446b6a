// Runs other programs.
#pragma once

#include <string>
#include <vector>

#include "skim/result.h"

namespace skim {

struct Program {
  std::vector<std::string> command;  // the program, by path or from PATH, and its arguments
  std::string input;                 // standard input
};

struct ProcessResult {
  int status = 0;      // exit code, or 128 plus the number of the signal that ended it
  std::string output;  // standard output
};

// Runs a program until it exits. Forwards SIGINT and SIGTERM to it and keeps waiting, so that it
// can save its work. It shares our standard error. Fails when it cannot be started. Not reentrant.
Result<ProcessResult> run_program(const Program& program);

}  // namespace skim
