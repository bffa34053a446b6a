// The public API of skim, torch-free: models, sessions, batches, layers, tokenization.
#pragma once

#include "skim/batch.h"       // IWYU pragma: export
#include "skim/layer.h"       // IWYU pragma: export
#include "skim/model.h"       // IWYU pragma: export
#include "skim/policy.h"      // IWYU pragma: export
#include "skim/query.h"       // IWYU pragma: export
#include "skim/result.h"      // IWYU pragma: export
#include "skim/session.h"     // IWYU pragma: export
#include "skim/spec.h"        // IWYU pragma: export
#include "skim/spec_text.h"   // IWYU pragma: export
#include "skim/token_span.h"  // IWYU pragma: export
#include "skim/tokenizer.h"   // IWYU pragma: export
#include "skim/trace.h"       // IWYU pragma: export
#include "skim/verify.h"      // IWYU pragma: export
#include "skim/version.h"     // IWYU pragma: export
