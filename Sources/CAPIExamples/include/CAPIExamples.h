#ifndef C_API_EXAMPLES_H
#define C_API_EXAMPLES_H

#include <stddef.h>

/// The requests and answers that were recorded, as they stand in Sources/CAPIExamples/examples.txt; for ever there.
///
/// @param count How many bytes there are.
const unsigned char *api_examples(size_t *count);

#endif
