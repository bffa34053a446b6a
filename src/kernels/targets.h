// The SIMD targets that the kernels are compiled for. Every kernel file includes this before any
// Highway header.
#pragma once

// Machines with SSSE3 but without SSE4 are obsolete. Scalable vectors cannot be array elements, as
// the accumulators of the matrix products are; those machines run the NEON code.
#ifndef SKIM_DISABLED_TARGETS  // the CMake variable of that name
#define SKIM_DISABLED_TARGETS 0
#endif
#define SKIM_EXCLUDED_TARGETS \
  (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | SKIM_DISABLED_TARGETS)

// Targets whose cells have vectors of eight floats (kMaxCellLanes in kernels/target.h).
#define SKIM_EIGHT_LANES \
  (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL)

// Targets with vectors of twice that size, which the products of big cells use.
#define SKIM_WIDE_VECTORS (HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL)

// Targets that include processors with AVX-512 VNNI. There is no target of its own for it:
// Highway's (AVX3_DL) would compile all kernels once more, and Highway 1.0.3 names another
// extension for it (AVX-VNNI), which not all of these processors have.
#define SKIM_MAYBE_VNNI (HWY_TARGET == HWY_AVX3)

#define SKIM_NEON (HWY_ARCH_ARM_A64 && HWY_TARGET == HWY_NEON)

// Targets that include processors with an instruction for dot products of bytes: VNNI, or SDOT of
// 64-bit ARM.
#define SKIM_MAYBE_BYTE_DOT (SKIM_MAYBE_VNNI || SKIM_NEON)

// With sanitizers the kernels take minutes to compile: those builds have two targets,
// ThreadSanitizer builds one.
#if defined(SKIM_ONE_TARGET)
#define HWY_DISABLED_TARGETS (SKIM_EXCLUDED_TARGETS | HWY_AVX3 | HWY_AVX2)
#elif defined(SKIM_FEW_TARGETS)
#define HWY_DISABLED_TARGETS (SKIM_EXCLUDED_TARGETS | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS SKIM_EXCLUDED_TARGETS
#endif
