// Which hosts the server answers for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skim::server {

// Protects a server on a loopback address from DNS rebinding: a web page of another site whose host
// name resolves to this machine could otherwise use the browser to send requests and to read the
// responses. Such requests name that site as their host.
class HostFilter {
 public:
  // Allows every host.
  HostFilter() = default;
  // Allows the names of the loopback interface (localhost and its subdomains, 127.0.0.1, [::1]) and
  // those in `names`. "*" allows every host. An IPv6 address may have brackets.
  explicit HostFilter(const std::vector<std::string>& names);

  // `authority` is a host with an optional port, which is ignored.
  bool allows(std::string_view authority) const;

 private:
  std::vector<std::string> names_;  // in lower case; empty: every host is allowed
};

}  // namespace skim::server
