#include "CCostMarks.h"

// In C and in a file of their own, so that no optimiser leaves the calls out.
void tenureCostBegins(void) { __asm__ volatile(""); }

void tenureCostEnds(void) { __asm__ volatile(""); }
