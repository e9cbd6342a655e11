/* Contacts of steps that have gradients. */
#ifndef TAUT_WORLD_GRADIENT_CONTACTS_H
#define TAUT_WORLD_GRADIENT_CONTACTS_H

#include "host/world/world_data.h"

/* NULL, or why no step of the world has a gradient. */
const char* gradient_refuses_contacts(const taut_world* world);
/* Notes the contacts that pressed in the step that was made, whose x, v, dv and h the record has. NULL, or why it has
 * no gradient. */
const char* gradient_note_contacts(const taut_world* world, taut_step_record* record);

#endif
