#ifndef TENURE_COST_MARKS_H
#define TENURE_COST_MARKS_H

// Callgrind counts between these two (--zero-before, --dump-before).
void tenureCostBegins(void);
void tenureCostEnds(void);

#endif
