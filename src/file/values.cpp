#include "file/values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

namespace skim {
namespace {

constexpr float kMinRowMagnitude = 1e-30F;
constexpr float kMaxRowMagnitude = 1e38F;
constexpr int kScaleBits = 17;

// Each test turns a stored value into an integer whose top bit is set when the value is invalid:
// adding one to an exponent of all ones carries into the (cleared) sign. Plain integer arithmetic,
// so that the compiler turns the loops below into vector code.
struct F32Test {
  using Stored = std::uint32_t;
  static constexpr Stored kBad = 0x80000000U;
  static Stored test(Stored bits) { return (bits & 0x7FFFFFFFU) + 0x00800000U; }
};
struct Bf16Test {
  using Stored = std::uint16_t;
  static constexpr Stored kBad = 0x8000U;
  static Stored test(Stored bits) { return static_cast<Stored>((bits & 0x7FFFU) + 0x0080U); }
};
struct F16Test {
  using Stored = std::uint16_t;
  static constexpr Stored kBad = 0x8000U;
  static Stored test(Stored bits) { return static_cast<Stored>((bits & 0x7FFFU) + 0x0400U); }
};
struct I8Test {
  using Stored = std::uint8_t;
  static constexpr Stored kBad = 1;
  static Stored test(Stored bits) { return bits == 0x80U ? 1 : 0; }
};

template <class Stored>
Stored load(const std::byte* at) {
  Stored value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class Test>
bool block_is_valid(const std::byte* start, std::size_t count) {
  using Stored = typename Test::Stored;
  Stored seen = 0;
  for (std::size_t i = 0; i < count; ++i) {
    seen = static_cast<Stored>(seen | Test::test(load<Stored>(start + i * sizeof(Stored))));
  }
  return (seen & Test::kBad) == 0;
}

template <class Test>
std::optional<std::size_t> find_invalid_value(std::span<const std::byte> bytes) {
  using Stored = typename Test::Stored;
  constexpr std::size_t kBlock = 4096;
  const std::size_t count = bytes.size() / sizeof(Stored);
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, count);
    if (block_is_valid<Test>(bytes.data() + begin * sizeof(Stored), end - begin)) continue;
    for (std::size_t i = begin; i < end; ++i) {
      if (!block_is_valid<Test>(bytes.data() + i * sizeof(Stored), 1)) return i;
    }
  }
  return std::nullopt;
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

// Exact: f16 has five bits of exponent and ten of mantissa.
float from_f16(std::uint16_t bits) {
  const std::uint32_t exponent = bits >> 10U & 0x1FU;
  const std::uint32_t mantissa = bits & 0x3FFU;
  const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  if (exponent == 0) return sign * static_cast<float>(mantissa) * 0x1.0p-24F;
  constexpr std::uint32_t kBiasDifference = 127 - 15;
  const std::uint32_t rebiased = exponent == 0x1FU ? 0xFFU : exponent + kBiasDifference;
  return sign * std::bit_cast<float>(rebiased << 23U | mantissa << 13U);
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t ties_to_even = 0x7FFFU + ((bits >> 16U) & 1U);
  return static_cast<std::uint16_t>((bits + ties_to_even) >> 16U);
}

// Converts stored floats to f32.
void convert(DataType type, const std::byte* start, std::size_t count, float* out) {
  assert(type == DataType::f32 || type == DataType::bf16 || type == DataType::f16);
  if (type == DataType::f32) {
    if (count > 0) std::memcpy(out, start, count * sizeof(float));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = load<std::uint16_t>(start + 2 * i);
    out[i] = type == DataType::bf16 ? from_bf16(bits) : from_f16(bits);
  }
}

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const auto raw = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

tl::unexpected<Error> too_large(const std::string& name, std::string_view type) {
  return fail(Fault::argument, "tensor '" + name + "' holds a value too large for " +
                                   std::string(type) + "; store the model as f32");
}

float row_scale(std::span<const float> row) {
  float largest = 0;
  for (const float value : row) largest = std::max(largest, std::abs(value));
  if (largest < kMinRowMagnitude) return 0;
  int exponent = 0;
  const double mantissa = std::frexp(static_cast<double>(largest) / 127, &exponent);
  return static_cast<float>(
      std::ldexp(std::ceil(std::ldexp(mantissa, kScaleBits)), exponent - kScaleBits));
}

}  // namespace

std::optional<std::size_t> find_invalid(DataType type, std::span<const std::byte> bytes) {
  switch (type) {
    case DataType::f32:
      return find_invalid_value<F32Test>(bytes);
    case DataType::bf16:
      return find_invalid_value<Bf16Test>(bytes);
    case DataType::f16:
      return find_invalid_value<F16Test>(bytes);
    case DataType::i8:
      return find_invalid_value<I8Test>(bytes);
    case DataType::u8:
    case DataType::u32:
      break;
  }
  return std::nullopt;
}

void row_to_floats(const TensorView& tensor, const TensorView* scale, std::size_t row, float* out) {
  assert(tensor.shape.size() == 2 && row < tensor.shape[0]);
  const std::size_t width = tensor.shape[1];
  const std::byte* start = tensor.bytes.data() + row * width * element_size(tensor.type);
  if (tensor.type != DataType::i8) return convert(tensor.type, start, width, out);
  assert(scale != nullptr);
  const auto factor = load<float>(scale->bytes.data() + row * sizeof(float));
  for (std::size_t i = 0; i < width; ++i) {
    out[i] = static_cast<float>(load<std::int8_t>(start + i)) * factor;
  }
}

std::vector<float> to_floats(const TensorView& tensor, const TensorView* scale) {
  std::vector<float> values(tensor.count());
  if (tensor.type != DataType::i8) {
    convert(tensor.type, tensor.bytes.data(), values.size(), values.data());
    return values;
  }
  for (std::size_t row = 0; row < tensor.shape[0]; ++row) {
    row_to_floats(tensor, scale, row, values.data() + row * tensor.shape[1]);
  }
  return values;
}

TensorBytes store_f32(std::string name, std::vector<std::size_t> shape,
                      std::span<const float> values) {
  const auto bytes = std::as_bytes(values);
  return {std::move(name), DataType::f32, std::move(shape), {bytes.begin(), bytes.end()}};
}

Result<TensorBytes> store_bf16(std::string name, std::vector<std::size_t> shape,
                               std::span<const float> values) {
  TensorBytes tensor{std::move(name), DataType::bf16, std::move(shape), {}};
  tensor.bytes.reserve(values.size() * 2);
  for (const float value : values) append(tensor.bytes, to_bf16(value));
  if (find_invalid(DataType::bf16, tensor.bytes)) return too_large(tensor.name, "bf16");
  return tensor;
}

Result<Quantized> store_i8(std::string name, std::vector<std::size_t> shape,
                           std::span<const float> values) {
  assert(shape.size() == 2 && values.size() == shape[0] * shape[1]);
  const std::size_t rows = shape[0];
  const std::size_t width = shape[1];
  Quantized out;
  out.scale = {name + ".scale", DataType::f32, {rows}, {}};
  out.values = {std::move(name), DataType::i8, std::move(shape), {}};
  out.values.bytes.reserve(values.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const auto from = values.subspan(row * width, width);
    if (std::ranges::any_of(from, [](float value) { return std::abs(value) > kMaxRowMagnitude; })) {
      return too_large(out.values.name, "int8");
    }
    const float scale = row_scale(from);
    append(out.scale.bytes, scale);
    for (const float value : from) {
      const float steps = scale > 0 ? std::nearbyint(value / scale) : 0;
      append(out.values.bytes, static_cast<std::int8_t>(steps));
    }
  }
  return out;
}

}  // namespace skim
