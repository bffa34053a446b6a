#include "file/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/result_macros.h"
#include "base/sizes.h"
#include "file/checksum.h"

namespace skim {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored little-endian");

constexpr std::size_t kMaxHeader = 100'000'000;  // the limit of other safetensors readers
constexpr std::size_t kMaxDimensions = 8;
constexpr std::string_view kMetadata = "__metadata__";

struct TypeInfo {
  DataType type;
  std::string_view name;
  std::size_t size;
};
constexpr std::array kTypes = {
    TypeInfo{DataType::f32, "F32", 4}, TypeInfo{DataType::bf16, "BF16", 2},
    TypeInfo{DataType::f16, "F16", 2}, TypeInfo{DataType::i8, "I8", 1},
    TypeInfo{DataType::u8, "U8", 1},   TypeInfo{DataType::u32, "U32", 4},
};

// Bytes [begin, end) of the data claimed by a tensor.
struct DataRange {
  std::string name;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// `file` has at least kLengthBytes.
std::uint64_t read_length(std::span<const std::byte> file) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  return length;
}

class Parser {
 public:
  Parser(std::span<const std::byte> file, const std::string& name, HeaderChecksum header_checksum)
      : file_(file), name_(name), header_checksum_(header_checksum) {}

  Result<Container> parse() {
    SKIM_ASSIGN_OR_RETURN(const auto header_end, header_size());
    out_.data = file_.subspan(header_end);
    if (header_checksum_ == HeaderChecksum::required) {
      SKIM_RETURN_IF_ERROR(check_header_checksum(file_.first(header_end), name_));
    }
    const std::string_view text(reinterpret_cast<const char*>(file_.data()) + kLengthBytes,
                                header_end - kLengthBytes);
    SKIM_ASSIGN_OR_RETURN(const Json header, parse_json(text, name_ + ": header"));
    SKIM_RETURN_IF_ERROR(read_header(header));
    SKIM_RETURN_IF_ERROR(check_ranges());
    return std::move(out_);
  }

 private:
  tl::unexpected<Error> broken(const std::string& what) const {
    return fail(Fault::format, name_ + ": " + what);
  }

  // Number of bytes before the data.
  Result<std::size_t> header_size() const {
    if (file_.empty()) return broken("the file is empty");
    if (file_.size() < kLengthBytes)
      return broken("truncated or not a model: it has less than 8 bytes");
    const std::uint64_t length = read_length(file_);
    if (length > kMaxHeader) {
      return broken("not a model: it claims a header of " + std::to_string(length) + " bytes");
    }
    if (length > file_.size() - kLengthBytes) {
      return broken("truncated or not a model: its header should have " + std::to_string(length) +
                    " bytes, the file ends after " + std::to_string(file_.size() - kLengthBytes));
    }
    if (length == 0 || file_[kLengthBytes] != std::byte{'{'}) {
      return broken("not a model: its header does not start with '{'");
    }
    return kLengthBytes + length;
  }

  Result<void> read_header(const Json& header) {
    for (const auto& [key, value] : header.items()) {
      SKIM_RETURN_IF_ERROR(key == kMetadata ? read_metadata(value) : read_tensor(key, value));
    }
    return {};
  }

  Result<void> read_metadata(const Json& metadata) {
    if (!metadata.is_object()) return broken("header.__metadata__ must be an object");
    for (const auto& [key, value] : metadata.items()) {
      SKIM_ASSIGN_OR_RETURN(auto text, as_string(value, name_ + ": header.__metadata__." + key));
      out_.metadata.emplace(key, std::move(text));
    }
    return {};
  }

  Result<void> read_tensor(const std::string& key, const Json& json) {
    const std::string where = name_ + ": tensor '" + key + "'";
    TensorView tensor;
    tensor.name = key;
    SKIM_ASSIGN_OR_RETURN(tensor.type, read_type(json, where));
    SKIM_ASSIGN_OR_RETURN(tensor.shape, read_list(json, "shape", kMaxDimensions, where));
    SKIM_ASSIGN_OR_RETURN(const auto offsets, read_list(json, "data_offsets", 2, where));
    return place(std::move(tensor), offsets, where);
  }

  static Result<DataType> read_type(const Json& json, const std::string& where) {
    SKIM_ASSIGN_OR_RETURN(const auto type, string_at(json, "dtype", where));
    const auto* const known =
        std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& t) { return t.name == type; });
    if (known == kTypes.end()) {
      return fail(Fault::format, where + " has type '" + type.substr(0, 20) +
                                     "', expected one of F32, BF16, F16, I8, U8, U32");
    }
    return known->type;
  }

  static Result<std::vector<std::size_t>> read_list(const Json& json, std::string_view key,
                                                    std::size_t limit, const std::string& where) {
    SKIM_ASSIGN_OR_RETURN(const auto list, array_at(json, key, where));
    if (list->size() > limit) {
      return fail(Fault::format, where + "." + std::string(key) + " has more than " +
                                     std::to_string(limit) + " numbers");
    }
    std::vector<std::size_t> numbers;
    for (const Json& element : *list) {
      SKIM_ASSIGN_OR_RETURN(const auto number,
                            as_int(element, {0, INT64_MAX}, where + "." + std::string(key)));
      numbers.push_back(static_cast<std::size_t>(number));
    }
    return numbers;
  }

  // Assigns the tensor its bytes after checking their range and number.
  Result<void> place(TensorView tensor, const std::vector<std::size_t>& offsets,
                     const std::string& where) {
    if (offsets.size() != 2 || offsets[0] > offsets[1]) {
      return fail(Fault::format, where + ".data_offsets must be a start and a later end");
    }
    const auto count = checked_product(tensor.shape);
    const auto bytes = count ? checked_mul(*count, element_size(tensor.type)) : std::nullopt;
    if (!bytes) return fail(Fault::format, where + ".shape is too large");
    if (offsets[1] - offsets[0] != *bytes) {
      return fail(Fault::format, where + " needs " + std::to_string(*bytes) +
                                     " bytes for its shape and type, its data_offsets span " +
                                     std::to_string(offsets[1] - offsets[0]));
    }
    if (offsets[1] > out_.data.size()) {
      return fail(Fault::format, where + " ends at byte " + std::to_string(offsets[1]) +
                                     " of the data, there are only " +
                                     std::to_string(out_.data.size()) +
                                     ": the file is truncated or damaged");
    }
    ranges_.push_back({tensor.name, offsets[0], offsets[1]});
    tensor.bytes = out_.data.subspan(offsets[0], *bytes);
    out_.tensors.emplace(tensor.name, std::move(tensor));
    return {};
  }

  Result<void> check_ranges() {
    std::sort(ranges_.begin(), ranges_.end(), [](const DataRange& left, const DataRange& right) {
      return std::pair(left.begin, left.end) < std::pair(right.begin, right.end);
    });
    std::size_t end = 0;
    for (const DataRange& range : ranges_) {
      if (range.begin != end) {
        return broken("tensor '" + range.name + "' starts at byte " + std::to_string(range.begin) +
                      " of the data, the one before it ends at " + std::to_string(end));
      }
      end = range.end;
    }
    if (end == out_.data.size()) return {};
    return broken(std::to_string(out_.data.size() - end) + " bytes follow the last tensor");
  }

  std::span<const std::byte> file_;
  const std::string& name_;
  HeaderChecksum header_checksum_;
  Container out_;
  std::vector<DataRange> ranges_;
};

}  // namespace

std::size_t claimed_header_bytes(std::span<const std::byte> file) {
  if (file.size() < kLengthBytes) return file.size();
  return kLengthBytes + std::min<std::uint64_t>(read_length(file), kMaxHeader);
}

Result<Container> parse_container(std::span<const std::byte> file, const std::string& name,
                                  HeaderChecksum header_checksum) {
  return Parser(file, name, header_checksum).parse();
}

std::size_t element_size(DataType type) {
  return std::ranges::find(kTypes, type, &TypeInfo::type)->size;
}

std::string_view to_string(DataType type) {
  return std::ranges::find(kTypes, type, &TypeInfo::type)->name;
}

}  // namespace skim
