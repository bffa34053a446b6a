// What leaves the program: results on standard output, checked; all else on standard error.
#pragma once

#include <string>
#include <string_view>

#include "skim/result.h"

namespace skim::cli {

// Writes everything or says why not. Waits where the descriptor would block.
Result<void> write_all(int descriptor, std::string_view bytes);

// Whether the error of write_all is that nobody listens any more (a closed pipe). Those who
// closed it, like `head`, know: no message is wanted.
bool is_closed_pipe(const Error& error);

// Writes to standard output and returns the exit code: kDone, or kFailed after a message.
int print(std::string_view text);

// Prints "skim VERB: message" on standard error.
void complain(std::string_view verb, std::string_view message);
// The same for an error; returns kFailed. A closed pipe stays silent.
int failed(std::string_view verb, const Error& error);

// The text with control characters and invalid UTF-8 made visible, so that it cannot steer a
// terminal. Line ends and tabs are control characters, too.
std::string printable(std::string_view text);
// The same, but line ends and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace skim::cli
