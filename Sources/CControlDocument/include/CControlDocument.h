#ifndef C_CONTROL_DOCUMENT_H
#define C_CONTROL_DOCUMENT_H

#include <stddef.h>

/// The OpenAPI document of the control API, as it stands in Sources/AppStoreSimulator/Control/openapi.json; for ever there.
///
/// @param count How many bytes there are.
const unsigned char *control_document(size_t *count);

#endif
