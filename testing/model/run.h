// The program troika-model.
#ifndef TROIKA_TESTING_MODEL_RUN_H_
#define TROIKA_TESTING_MODEL_RUN_H_

#include <string>
#include <vector>

namespace troika::model {

// Plays until SIGTERM or SIGINT. 0 where all went as the script said, 1 where
// not, 2 where the arguments or the script are bad.
int RunMain(const std::vector<std::string>& args);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_RUN_H_
