// What we use of LibTorch: tensors and autograd, not its modules, optimisers and data loaders.
// Compiled once; reading all of torch.h would double the time that every file of this folder takes
// to build.
#pragma once

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
