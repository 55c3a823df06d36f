#include "CAPIExamples.h"

// As in CControlDocument: `#embed` costs the compiler nothing.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char examples[] = {
#embed "examples.txt"
};

const unsigned char *api_examples(size_t *count) {
    *count = sizeof examples;
    return examples;
}
