// The SIMD targets that the kernels are compiled for. Every kernel file includes this before any
// Highway header.
#pragma once

// Machines with SSSE3 but without SSE4 are obsolete. Scalable vectors cannot be array elements, as
// the accumulators of the matrix products are; those machines run the NEON code.
#define SKIM_EXCLUDED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

// With sanitizers the kernels take minutes to compile: those builds have two targets,
// ThreadSanitizer builds one.
#if defined(SKIM_ONE_TARGET)
#define HWY_DISABLED_TARGETS (SKIM_EXCLUDED_TARGETS | HWY_AVX3 | HWY_AVX2)
#elif defined(SKIM_FEW_TARGETS)
#define HWY_DISABLED_TARGETS (SKIM_EXCLUDED_TARGETS | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS SKIM_EXCLUDED_TARGETS
#endif
