/* The state of a run in a file: `--checkpoint N` writes it, `--resume FILE` goes on from it.
 *
 * A checkpoint is replaced whole: a run that ends at any moment leaves the last one. It has a header, which says of
 * which scene and frame it is, and the block of taut_world_save. */
#ifndef TAUT_APP_CHECKPOINT_H
#define TAUT_APP_CHECKPOINT_H

#include "base/whole_file.h"
#include "build/scene_build.h"
#include "commands/arguments.h"

typedef struct checkpoint {
    uint32_t every;  /* frames; 0: none is written */
    bool keeps;      /* the last frame's state is in the block, since a frame may be stopped on its way */
    uint64_t scene;  /* identity of the scene and its meshes */
    size_t frame;    /* of the last one that was written or read */
    whole_file file; /* claimed */
    size_t capacity;
    void* block;        /* the state of a frame */
    size_t bytes, held; /* of it, and which one; 0: none yet */
} checkpoint;

/* Claims the file, DIR/checkpoint.taut where no other is given. The world is as it was created. */
bool checkpoint_open(const arguments* a, const scene_file* file, const built_scene* built, taut_world* world,
                     checkpoint* out, report* r);
/* Restores the state of `--resume` and tells the frame that it ends; the world gets the room for contacts that the
 * saved one had. */
bool checkpoint_resume(checkpoint* c, const arguments* a, const scene_file* file, const built_scene* built,
                       taut_world* world, size_t* frame, report* r);
/* After a frame: writes where one is due. At the end of a run that may go on: writes in any case, but not twice. */
bool checkpoint_frame(checkpoint* c, taut_world* world, size_t frame, bool last, report* r);
/* At the end of a run whose last frame was stopped on its way: writes the one before it. */
bool checkpoint_kept(checkpoint* c, report* r);
void checkpoint_close(checkpoint* c); /* a zeroed one is allowed */

#endif
