// Defines Read() for a record type T by its field table kT.
//
//   constexpr RecordField<Delta> kDelta[] = {…};
//   TROIKA_READ(Delta)
#ifndef TROIKA_AGENT_CLAUDE_RECORD_READ_H_
#define TROIKA_AGENT_CLAUDE_RECORD_READ_H_

#include "agent/fields.h"
#include "base/json.h"

#define TROIKA_READ(Type)                                \
  template <>                                            \
  Type Read(json::Value from, const FieldScope& scope) { \
    Type record;                                         \
    ReadFields(from, k##Type, scope, &record);           \
    return record;                                       \
  }

#endif  // TROIKA_AGENT_CLAUDE_RECORD_READ_H_
