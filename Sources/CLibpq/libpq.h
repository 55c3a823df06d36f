// The functions of libpq that Tenure calls, as a table that is filled when PostgreSQL is first configured. Nothing here is
// linked, so a binary that only uses SQLite runs where libpq is not installed. The types come from libpq's own header: a call
// that does not fit does not compile.
#ifndef TENURE_LIBPQ_H
#define TENURE_LIBPQ_H

#include <dlfcn.h>

// Debian keeps the header in a folder of its own, others beside the rest.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

// PQlibVersion stands first: an older libpq is recognised before it is found to lack what is newer.
#define TENURE_LIBPQ_FUNCTIONS(X) \
    X(PQlibVersion) \
    X(PQconninfoParse) X(PQconninfoFree) X(PQfreemem) \
    X(PQconnectStartParams) X(PQconnectPoll) X(PQfinish) X(PQstatus) X(PQerrorMessage) X(PQsocket) X(PQbackendPID) \
    X(PQserverVersion) X(PQparameterStatus) X(PQtransactionStatus) X(PQconnectionNeedsPassword) X(PQsslInUse) \
    X(PQsetErrorVerbosity) X(PQsetNoticeReceiver) \
    X(PQsetnonblocking) X(PQflush) X(PQconsumeInput) X(PQisBusy) X(PQgetResult) \
    X(PQenterPipelineMode) X(PQexitPipelineMode) X(PQpipelineSync) \
    X(PQsendQuery) X(PQsendQueryParams) X(PQsendPrepare) X(PQsendQueryPrepared) \
    X(PQresultStatus) X(PQresultErrorField) X(PQclear) X(PQcmdStatus) X(PQcmdTuples) \
    X(PQntuples) X(PQnfields) X(PQftype) X(PQgetisnull) X(PQgetlength) X(PQgetvalue)

// Sendable by what it is: pointers to code, written once before anyone sees them.
typedef struct __attribute__((swift_attr("@Sendable"))) LibpqFunctions {
#define X(name) __typeof__(&name) _Nonnull name;
    TENURE_LIBPQ_FUNCTIONS(X)
#undef X
} LibpqFunctions;

// Fills the table from a library that dlopen opened. Returns NULL, or the name of the first function that the library lacks.
static inline const char *_Nullable LibpqFunctionsLoad(void *_Nonnull library, LibpqFunctions *_Nonnull table) {
#define X(name) \
    { \
        void *symbol = dlsym(library, #name); \
        if (!symbol) return #name; \
        table->name = (__typeof__(&name))symbol; \
    }
    TENURE_LIBPQ_FUNCTIONS(X)
#undef X
    return 0;
}

#endif
