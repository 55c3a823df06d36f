#include "CControlDocument.h"

// SwiftPM's `.embedInCode` writes a Swift array of a number for each byte, and the compiler takes half a minute for a hundred KB of
// them. `#embed` (C23; clang has it from 19 on) takes none, and the document stays a file that tools read.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char document[] = {
#embed "../AppStoreSimulator/Control/openapi.json"
};

const unsigned char *control_document(size_t *count) {
    *count = sizeof document;
    return document;
}
