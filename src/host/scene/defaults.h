/* Cookies tell a definition made by taut_default_* from one that was not. */
#ifndef TAUT_SCENE_DEFAULTS_H
#define TAUT_SCENE_DEFAULTS_H

#define TAUT_COOKIE_SCENE           0x7a070001u
#define TAUT_COOKIE_PARTICLES       0x7a070002u
#define TAUT_COOKIE_WORLD           0x7a070003u
#define TAUT_COOKIE_BODIES          0x7a070004u
#define TAUT_COOKIE_JOINTS          0x7a070005u
#define TAUT_COOKIE_RODS            0x7a070006u
#define TAUT_COOKIE_MATERIAL        0x7a070007u
#define TAUT_COOKIE_CONTACT_POINTS  0x7a070008u
#define TAUT_COOKIE_COLLIDERS       0x7a070009u
#define TAUT_COOKIE_CONTACT_SURFACE 0x7a07000bu
#define TAUT_COOKIE_COLLIDER_MESH   0x7a07000au
#define TAUT_COOKIE_MAPPING         0x7a070010u /* and the next four, in the order of mappings.h */
/* A constraint's cookie is this plus its taut_kind. */
#define TAUT_COOKIE_KIND 0x7a070100u

#endif
