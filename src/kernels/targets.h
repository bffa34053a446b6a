// The instruction sets the kernels are compiled for. Included before any Highway header, in every
// kernel file.
#pragma once

// SSSE3 machines without SSE4 are gone. The scalable-vector targets cannot keep vectors in arrays,
// which is what the accumulators of the matrix products are; those machines run the NEON code.
#define SKIM_NEVER_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

// Sanitized, the kernels take minutes to compile: those builds do with two targets, or, where only
// threads are looked at, with one.
#if defined(SKIM_ONE_TARGET)
#define HWY_DISABLED_TARGETS (SKIM_NEVER_TARGETS | HWY_AVX3 | HWY_AVX2)
#elif defined(SKIM_FEW_TARGETS)
#define HWY_DISABLED_TARGETS (SKIM_NEVER_TARGETS | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS SKIM_NEVER_TARGETS
#endif
