// Output: results on standard output with error checks, messages on standard error.
#pragma once

#include <string>
#include <string_view>

#include "skim/result.h"

namespace skim::cli {

// Writes all bytes. Waits when the descriptor would block.
Result<void> write_all(int descriptor, std::string_view bytes);

// Returns whether an error of write_all is a closed pipe, which needs no message (`skim run |
// head`).
bool is_closed_pipe(const Error& error);

// Writes to standard output and returns the exit code; prints a message on failure.
int print(std::string_view text);

// Prints "skim VERB: message" on standard error.
void print_message(std::string_view verb, std::string_view message);
// Prints the error like print_message and returns kFailure. Silent for a closed pipe.
int failed(std::string_view verb, const Error& error);

// Escapes control characters (including newlines and tabs) and invalid UTF-8, so that text cannot
// send escape sequences to the terminal.
std::string printable(std::string_view text);
// Like printable, but keeps newlines and tabs.
std::string printable_lines(std::string_view text);

}  // namespace skim::cli
