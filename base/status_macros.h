// RETURN_IF_ERROR(status); ASSIGN_OR_RETURN(auto value, status_or);
#ifndef TROIKA_BASE_STATUS_MACROS_H_
#define TROIKA_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define RETURN_IF_ERROR(expr)                        \
  do {                                               \
    absl::Status status_of_expr = (expr);            \
    if (!status_of_expr.ok()) return status_of_expr; \
  } while (false)

#define TROIKA_CONCAT_INNER(a, b) a##b
#define TROIKA_CONCAT(a, b) TROIKA_CONCAT_INNER(a, b)

#define ASSIGN_OR_RETURN(target, expr) \
  TROIKA_ASSIGN_OR_RETURN(TROIKA_CONCAT(result_, __LINE__), target, expr)

#define TROIKA_ASSIGN_OR_RETURN(result, target, expr)  \
  auto result = (expr);                                \
  if (!result.ok()) return std::move(result).status(); \
  target = *std::move(result)

#endif  // TROIKA_BASE_STATUS_MACROS_H_
