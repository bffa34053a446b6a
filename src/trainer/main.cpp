// skim-train, which `skim train` starts.
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstdio>
#include <exception>
#include <limits>
#include <new>
#include <string_view>

#include "cli/output.h"
#include "trainer/compare.h"
#include "trainer/train_verb.h"

namespace skim::cli {
namespace {

// Keeps freed memory in the process. Every step allocates and frees the same large blocks;
// returning them to the system, which clears every page again, would take a sixth of a BiDAF step.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

int run(Arguments arguments) {
  try {
    keep_freed_memory();
    if (!arguments.empty() && arguments.front() == std::string_view("compare"))
      return compare(arguments.subspan(1));
    return run_train_verb(arguments);
  } catch (const std::bad_alloc&) {
    print_message("train", "out of memory");
    return kFailure;
  } catch (const std::exception& error) {
    print_message("train", error.what());
    return kFailure;
  }
}

}  // namespace
}  // namespace skim::cli

int main(int count, char** values) {
  const skim::cli::Arguments arguments(values + 1, static_cast<std::size_t>(count - 1));
  const int code = skim::cli::run(arguments);
  // Skips the static destructors: LibTorch unregisters thousands of operators, which takes a sixth
  // of the time of starting and ending.
  std::fflush(nullptr);
  _exit(code);
}
