#include "CDescriptorLimit.h"

#include <sys/resource.h>

// In C, since which Swift module has `struct rlimit` depends on what else is imported by then.
int descriptor_limit_raise(unsigned long long needed, unsigned long long *most) {
    struct rlimit limit;
    *most = 0;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    *most = limit.rlim_max;
    if (limit.rlim_cur >= needed) return 0;
    if (limit.rlim_max < needed) return -1;
    limit.rlim_cur = needed;
    return setrlimit(RLIMIT_NOFILE, &limit);
}
