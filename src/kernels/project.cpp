#include "kernels/project.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/project.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "kernels/matvec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

// Products of many rows are limited by arithmetic, so they use whole vectors of the target.
using ProjectionTag = hn::ScalableTag<float>;
using ProjectionVec = hn::Vec<ProjectionTag>;

// Six rows times two vectors use twelve accumulators. Two vectors of 32 bytes are one cache line:
// three would load half a line in vain per column, and the tile's weights would no longer fit the
// L1 cache (300 columns, 400 outputs: 1.1x faster).
constexpr std::size_t kTileRows = 6;

struct Tile {
  const float* weights;  // of the tile's first vector, column 0
  std::size_t stride;    // between columns
  std::size_t columns;
  const float* bias;
  float* out;  // of the first row and the tile's first vector
  std::size_t out_stride;
};

// Computes R rows times V vectors of outputs: V loads and R broadcasts for R * V products.
template <std::size_t R, std::size_t V>
HWY_INLINE void RunTile(const Tile& tile, const Rows& in, std::size_t row) {
  const ProjectionTag d;
  const std::size_t lanes = hn::Lanes(d);
  ProjectionVec sum[R][V];
  const float* input[R];
  SKIM_UNROLL for (std::size_t r = 0; r < R; ++r) {
    input[r] = in.row(row + r);
    SKIM_UNROLL for (std::size_t v = 0; v < V; ++v) sum[r][v] = hn::LoadU(d, tile.bias + v * lanes);
  }
  const float* weights = tile.weights;
  for (std::size_t j = 0; j < tile.columns; ++j, weights += tile.stride) {
    ProjectionVec weight[V];
    SKIM_UNROLL for (std::size_t v = 0; v < V; ++v) weight[v] = hn::Load(d, weights + v * lanes);
    SKIM_UNROLL for (std::size_t r = 0; r < R; ++r) {
      const ProjectionVec factor = hn::Set(d, input[r][j]);
      SKIM_UNROLL for (std::size_t v = 0; v < V; ++v) sum[r][v] =
          hn::MulAdd(weight[v], factor, sum[r][v]);
    }
  }
  SKIM_UNROLL for (std::size_t r = 0; r < R; ++r) {
    SKIM_UNROLL for (std::size_t v = 0; v < V; ++v) {
      hn::StoreU(sum[r][v], d, tile.out + r * tile.out_stride + v * lanes);
    }
  }
}

template <std::size_t V, std::size_t R = kTileRows>
HWY_INLINE void DispatchRows(std::size_t batch, const Tile& tile, const Rows& in, std::size_t row) {
  if constexpr (R > 0) {
    if (batch == R) return RunTile<R, V>(tile, in, row);
    DispatchRows<V, R - 1>(batch, tile, in, row);
  }
}

// Runs six rows at a time, the last seven as four and three: a single row would stall the
// multiplier.
template <std::size_t V>
HWY_INLINE void RunRows(const Tile& tile, const Rows& in) {
  Tile current = tile;
  std::size_t row = 0;
  while (row < in.count) {
    const std::size_t remaining = in.count - row;
    const std::size_t batch = remaining == kTileRows + 1 ? 4 : std::min(kTileRows, remaining);
    DispatchRows<V>(batch, current, in, row);
    row += batch;
    current.out += batch * current.out_stride;
  }
}

// Runs one row with all vectors of the group at once, so that the weights are one stream.
template <std::size_t A = 1>
HWY_INLINE void RunOneRow(std::size_t vectors, const Tile& tile, const Rows& in) {
  if constexpr (A <= kMaxAccumulators) {
    if (vectors == A) return RunTile<1, A>(tile, in, 0);
    RunOneRow<A + 1>(vectors, tile, in);
  }
}

void Project(const PackedMatrix& matrix, const float* bias, const Rows& in, float* out,
             std::size_t out_stride) {
  const std::size_t lanes = hn::Lanes(ProjectionTag());
  for (const PackGroup& group : matrix.groups) {
    Tile tile{matrix.f32() + group.offset * lanes, group.vectors * lanes,     matrix.columns,
              bias + group.first * lanes,          out + group.first * lanes, out_stride};
    if (in.count == 1) {
      RunOneRow(group.vectors, tile, in);
      continue;
    }
    for (std::size_t v = 0; v < group.vectors;) {
      const std::size_t batch = std::min<std::size_t>(2, group.vectors - v);
      if (batch == 2) RunRows<2>(tile, in);
      if (batch == 1) RunRows<1>(tile, in);
      v += batch;
      tile.weights += batch * lanes;
      tile.bias += batch * lanes;
      tile.out += batch * lanes;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(Project);

void project(const PackedMatrix& matrix, const float* bias, Rows in, float* out,
             std::size_t out_stride) noexcept {
  if (in.count != 0) HWY_DYNAMIC_DISPATCH(Project)(matrix, bias, in, out, out_stride);
}

}  // namespace skim
#endif
