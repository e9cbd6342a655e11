/* Checksums: they find damage and changes, not malice. */
#ifndef TAUT_APP_HASH_H
#define TAUT_APP_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* FNV-1a (Fowler, Noll and Vo), 64 bits, continued over `bytes` more. */
static inline uint64_t hash_bytes(uint64_t hash, const void* data, size_t bytes) {
    const unsigned char* at = data;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

#endif
