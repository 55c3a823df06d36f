#ifndef C_DESCRIPTOR_LIMIT_H
#define C_DESCRIPTOR_LIMIT_H

/// Lets this process open so many files and sockets (RLIMIT_NOFILE), if it may.
///
/// @param needed How many.
/// @param most How many it may have at the most.
/// @return 0 where it has so many now; -1 where it may not, or the system does not say.
int descriptor_limit_raise(unsigned long long needed, unsigned long long *most);

#endif
