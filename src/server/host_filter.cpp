#include "server/host_filter.h"

#include <algorithm>

#include "server/field_syntax.h"

namespace skim::server {
namespace {

// "name", "127.0.0.1" or "[::1]"; empty when the port is not a number.
std::string_view remove_port(std::string_view authority) {
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  const std::size_t colon = authority.find(':', bracket);
  if (colon == std::string_view::npos) return authority;
  const std::string_view port = authority.substr(colon + 1);
  const bool is_number = port.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? authority.substr(0, colon) : std::string_view();
}

// A dot at the end marks a name as absolute.
std::string_view remove_last_dot(std::string_view name) {
  return name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
}

std::string to_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), to_lower);
  return lower;
}

}  // namespace

HostFilter::HostFilter(const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), "*") != names.end()) return;
  names_ = {"localhost", "127.0.0.1", "[::1]"};
  for (const std::string& name : names) {
    const bool needs_brackets = name.find(':') != std::string::npos && !name.starts_with('[');
    names_.push_back(to_lower_case(needs_brackets ? "[" + name + "]" : name));
  }
}

bool HostFilter::allows(std::string_view authority) const {
  if (names_.empty()) return true;
  constexpr std::string_view kLocalDomain = ".localhost";
  const std::string_view host = remove_last_dot(remove_port(authority));
  const bool is_known = std::any_of(names_.begin(), names_.end(), [host](const std::string& name) {
    return equals_ignoring_case(host, name);
  });
  return is_known ||
         (host.size() > kLocalDomain.size() &&
          equals_ignoring_case(host.substr(host.size() - kLocalDomain.size()), kLocalDomain));
}

}  // namespace skim::server
