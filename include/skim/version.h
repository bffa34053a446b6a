// The version of the library: the one place that states it. docs/versioning.md says what it covers.
#pragma once

#define SKIM_VERSION_MAJOR 0
#define SKIM_VERSION_MINOR 2
#define SKIM_VERSION_PATCH 0
#define SKIM_VERSION "0.2.0"
