// Implements the program troika-model.
#ifndef TROIKA_TESTING_MODEL_RUN_H_
#define TROIKA_TESTING_MODEL_RUN_H_

#include <string>
#include <vector>

namespace troika::model {

// Plays until SIGTERM or SIGINT. Returns 0 if everything matched the script, 1
// if not, 2 if the arguments or the script are invalid.
int RunMain(const std::vector<std::string>& args);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_RUN_H_
