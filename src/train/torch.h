// The part of LibTorch in use: tensors and autograd, without modules, optimizers and data loaders.
// Precompiled; the whole of torch/torch.h would double the build time of every file here.
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
