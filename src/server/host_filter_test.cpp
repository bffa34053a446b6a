#include "server/host_filter.h"

#include <gtest/gtest.h>

namespace skim::server {
namespace {

TEST(HostFilter, AllowsAllHostsByDefault) {
  EXPECT_TRUE(HostFilter().allows("example.org"));
  EXPECT_TRUE(HostFilter({"a", "*"}).allows("example.org"));
}

TEST(HostFilter, AllowsTheNamesOfTheLoopbackInterfaceWithAnyPort) {
  const HostFilter filter(std::vector<std::string>{});
  for (const std::string_view host :
       {"localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8080",
        "page.localhost", "a.b.LOCALHOST:99", "localhost.", "localhost.:80"}) {
    EXPECT_TRUE(filter.allows(host)) << host;
  }
  for (const std::string_view host :
       {"", "example.org", "example.org:8080", "localhost.example.org", "notlocalhost",
        ".localhost", "127.0.0.1.example.org", "127.0.0.2", "::1", "[::1", "[::2]", "localhost:x",
        "localhost:80:80", "example.org:localhost", "localhost.."}) {
    EXPECT_FALSE(filter.allows(host)) << host;
  }
}

TEST(HostFilter, AllowsFurtherNames) {
  const HostFilter filter({"Skim.Example.org", "::2", "[fe80::1]"});
  for (const std::string_view host :
       {"localhost", "skim.example.org", "SKIM.EXAMPLE.ORG:443", "[::2]:80", "[FE80::1]"}) {
    EXPECT_TRUE(filter.allows(host)) << host;
  }
  for (const std::string_view host : {"example.org", "a.skim.example.org", "[::3]"}) {
    EXPECT_FALSE(filter.allows(host)) << host;
  }
}

}  // namespace
}  // namespace skim::server
