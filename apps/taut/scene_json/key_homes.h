/* Where keys are at home that are often put elsewhere. */
#ifndef TAUT_KEY_HOMES_H
#define TAUT_KEY_HOMES_H

/* Words for the end of "a key of"; NULL: it is not known. */
const char* key_home(const char* key);

#endif
