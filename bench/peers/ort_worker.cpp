// ONNX Runtime through the C API of the shared library in npm's onnxruntime-node, which has no
// headers. The API is a table of function pointers that only grows at its end, so the index of a
// function is fixed.
//   ort_worker MODEL PROBLEM D WORDS
#include <array>
#include <cstdint>
#include <cstdlib>

#include "worker.h"

extern "C" {
struct OrtApiBase {
  const void* const* (*get_api)(std::uint32_t version);
  const char* (*version)();
};
const OrtApiBase* OrtGetApiBase();
}

namespace {

using Status = void*;  // null is success

enum ApiIndex {
  kErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetIntraOpThreads = 24,
  kSetInterOpThreads = 25,
  kCreateTensorWithData = 49,
  kCreateCpuMemoryInfo = 69,
};
constexpr int kFloat = 1;    // ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
constexpr int kWarning = 2;  // ORT_LOGGING_LEVEL_WARNING

class Ort {
 public:
  Ort() : api_(OrtGetApiBase()->get_api(16)) {}

  template <class... Arguments>
  void call(ApiIndex index, Arguments... arguments) const {
    const auto function =
        reinterpret_cast<Status (*)(Arguments...)>(reinterpret_cast<std::uintptr_t>(api_[index]));
    if (Status status = function(arguments...)) {
      const auto message = reinterpret_cast<const char* (*)(Status)>(
          reinterpret_cast<std::uintptr_t>(api_[kErrorMessage]));
      std::fprintf(stderr, "%s\n", message(status));
      std::exit(1);
    }
  }

  void* tensor(std::vector<float>& values, const std::vector<std::int64_t>& shape) const {
    void *memory = nullptr, *value = nullptr;
    call(kCreateCpuMemoryInfo, 0, 0, &memory);
    call(kCreateTensorWithData, static_cast<const void*>(memory), static_cast<void*>(values.data()),
         values.size() * sizeof(float), shape.data(), shape.size(), kFloat, &value);
    return value;
  }

 private:
  const void* const* api_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto d = static_cast<std::size_t>(std::atol(argv[3]));
  const auto words = static_cast<std::size_t>(std::atol(argv[4]));
  peers::Problem problem = peers::load_problem(argv[2], d, words);

  const Ort ort;
  void *env = nullptr, *options = nullptr, *session = nullptr;
  ort.call(kCreateEnv, kWarning, "peers", &env);
  ort.call(kCreateSessionOptions, &options);
  ort.call(kSetIntraOpThreads, options, 1);
  ort.call(kSetInterOpThreads, options, 1);
  ort.call(kCreateSession, static_cast<const void*>(env), static_cast<const char*>(argv[1]),
           static_cast<const void*>(options), &session);

  std::vector<float> states(words * d);
  const auto rows = static_cast<std::int64_t>(words), width = static_cast<std::int64_t>(d);
  const void* input = ort.tensor(problem.x, {rows, 1, width});
  void* output = ort.tensor(states, {rows, 1, 1, width});
  const std::array<const char*, 1> input_names = {"X"}, output_names = {"Y"};
  return peers::serve(OrtGetApiBase()->version(), d, [&] {
    ort.call(kRun, session, static_cast<const void*>(nullptr), input_names.data(), &input,
             std::size_t{1}, output_names.data(), std::size_t{1}, &output);
    return states.data() + (words - 1) * d;
  });
}
