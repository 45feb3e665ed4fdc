// The API's description of itself, made from its routes and messages.
#ifndef TROIKA_SERVER_OPENAPI_H_
#define TROIKA_SERVER_OPENAPI_H_

#include <string>

namespace troika {

// OpenAPI 3.1, as JSON.
std::string OpenApiJson();

}  // namespace troika

#endif  // TROIKA_SERVER_OPENAPI_H_
