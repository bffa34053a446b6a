// Early return of errors: the one way in which functions that return Result<T> pass errors on.
#pragma once

#include <utility>

#include "skim/result.h"

// Both macros evaluate their expression once, return its error from the enclosing function, which
// must return a Result, and move errors and values out of temporaries. The expression may contain
// commas, but no further use of these macros. A lambda that uses them states its return type.

// Discards the value of the expression, if it has one:
//   SKIM_RETURN_IF_ERROR(check(spec));
#define SKIM_RETURN_IF_ERROR(...)                                                           \
  do {                                                                                      \
    if (auto&& skim_result = (__VA_ARGS__); !skim_result)                                   \
      return tl::make_unexpected(std::forward<decltype(skim_result)>(skim_result).error()); \
  } while (false)

// Initializes a declaration, or assigns to an existing object:
//   SKIM_ASSIGN_OR_RETURN(const Header header, parse_header(bytes, path));
//   SKIM_ASSIGN_OR_RETURN(spec.labels, read_labels(json));
// Expands to several statements: an `if` or a loop around it needs braces. A type that contains a
// comma does not fit the declaration; use `auto`.
#define SKIM_ASSIGN_OR_RETURN(declaration, ...) \
  SKIM_ASSIGN_OR_RETURN_TO(SKIM_JOIN(skim_result_, __LINE__), declaration, __VA_ARGS__)

// Implementation.
#define SKIM_JOIN(left, right) SKIM_JOIN_EXPANDED(left, right)
#define SKIM_JOIN_EXPANDED(left, right) left##right
#define SKIM_ASSIGN_OR_RETURN_TO(result, declaration, ...)                                 \
  auto&& result = (__VA_ARGS__);                                                           \
  if (!result) return tl::make_unexpected(std::forward<decltype(result)>(result).error()); \
  declaration = *std::forward<decltype(result)>(result)
