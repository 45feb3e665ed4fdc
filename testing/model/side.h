// Answers requests outside the conversation, always in the same way.
#ifndef TROIKA_TESTING_MODEL_SIDE_H_
#define TROIKA_TESTING_MODEL_SIDE_H_

#include "testing/model/answer.h"
#include "testing/model/request.h"

namespace troika::model {

// Accepts all purposes except kMain and kUnknown.
Output SideOutput(const Request& request);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_SIDE_H_
