/* What `owns` says of a face of a contact surface. */
#ifndef TAUT_CONTACT_SURFACE_FLAGS_H
#define TAUT_CONTACT_SURFACE_FLAGS_H

/* Edge i and corner i are the face's own where no earlier face has them: << i. */
typedef enum taut_face_flags { TAUT_FACE_EDGE = 1, TAUT_FACE_CORNER = 8, TAUT_FACE_SEGMENT = 64 } taut_face_flags;

#endif
