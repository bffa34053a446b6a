// Validation of policies and queries.
#pragma once

#include <span>
#include <string>

#include "nets/net.h"
#include "runtime/model_impl.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

// Fails unless threshold and confident are in [0, 1].
Result<void> check(const Policy& policy);
// Fails unless the model supports early answers, if the policy asks for them.
Result<void> check_confident(const Policy& policy, const ModelImpl& impl);
// Fails unless a model of this spec accepts the query.
Result<void> check(const Query& query, const ModelSpec& spec);
// Fails unless all logits and p_read of a reading by `model` are finite. Finite but huge weights
// overflow in the forward pass.
Result<void> check_finite(const std::string& model, std::span<const float> logits,
                          std::span<const NetMemory::PassMemory> passes);
Result<void> check_finite(const std::string& model, const Step& step);
// The error for a question without words.
Result<void> missing_question();

}  // namespace skim
