#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/verbs.h"

namespace skim::cli {
namespace {

constexpr const char* kTrainer = "skim-train";

std::vector<char*> argument_list(std::string& program, Arguments arguments) {
  std::vector<char*> list = {program.data()};
  // execvp does not modify them.
  for (const char* argument : arguments) list.push_back(const_cast<char*>(argument));
  list.push_back(nullptr);
  return list;
}

}  // namespace

int train_verb(Arguments arguments) {
  std::string trainer = find_program(kTrainer);
  ::execvp(trainer.c_str(), argument_list(trainer, arguments).data());
  if (errno != ENOENT) {
    return failed("train", {Fault::io,
                            std::string("cannot start ") + kTrainer + ": " + std::strerror(errno)});
  }
  return failed("train", {Fault::io, std::string("training needs the program ") + kTrainer +
                                         ", which is neither beside this program (" +
                                         program_path().parent_path().string() +
                                         ") nor on the PATH; install it there"});
}

}  // namespace skim::cli
