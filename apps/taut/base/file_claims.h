/* Which files this process reads and writes. Files are compared by identity (device and inode; what does not exist yet
 * by its folder and name), because one file can have many paths. The list belongs to the process, not to a thread. */
#ifndef TAUT_APP_FILE_CLAIMS_H
#define TAUT_APP_FILE_CLAIMS_H

#include "base/report.h"

typedef struct file_claim file_claim;

/* Notes an input for the life of the process. */
bool file_claims_note_input(const char* path, report* r);

/* Claims a path for writing. NULL after setting the report: where something other than an ordinary file is there (it is
 * looked at without following links), where the process has read this file, or where it writes it already. */
file_claim* file_claim_output(const char* path, report* r);
/* After what is at the path has been replaced by this process. */
void file_claim_renew(file_claim* claim);
void file_claim_release(file_claim* claim); /* NULL is allowed */

#endif
