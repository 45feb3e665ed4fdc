// Answers to requests that are not the conversation: the same every time.
#ifndef TROIKA_TESTING_MODEL_SIDE_H_
#define TROIKA_TESTING_MODEL_SIDE_H_

#include "testing/model/answer.h"
#include "testing/model/request.h"

namespace troika::model {

// Of any purpose but kMain and kUnknown.
Output SideOutput(const Request& request);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_SIDE_H_
