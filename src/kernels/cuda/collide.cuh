/* Collide on the device: the contacts of a substep, and what sorts their incidence. */
#ifndef TAUT_CUDA_COLLIDE_CUH
#define TAUT_CUDA_COLLIDE_CUH

#include "kernels/cuda/device.cuh"

/* Device memory of the sort and the scan; all NULL where nothing has a shape. */
typedef struct taut_collide_scratch {
    void* memory;
    uint32_t* keys[2];   /* nodes of entries: 6 x capacity */
    uint32_t* values[2]; /* entries */
    void* temporary;
    size_t temporary_bytes;
} taut_collide_scratch;

/* Of what trees are: boxes of what the step may reach, or of things as they are now. */
typedef enum tree_of { TREE_OF_FACES, TREE_OF_EDGES, TREE_OF_FACES_NOW, TREE_OF_SHAPES_NOW, TREE_OF_LOOSE_NOW } tree_of;

taut_status collide_open(const taut_view& view, taut_collide_scratch* scratch);
void collide_close(taut_collide_scratch* scratch);
void cuda_collide(const taut_view& view, const taut_collide_scratch& scratch, taut_launch* launch);
/* After a search outside a step, which the next step makes again: the report keeps what the last step had. */
void cuda_forget_search(const taut_view& view, uint32_t contacts, uint32_t tangled, bool diverged, taut_launch* launch);
/* Meshes that deform follow their points. */
void cuda_refit_deforming(const taut_view& view, taut_launch* launch);
/* Nodes of a tree whose leaves have their boxes. */
void cuda_join_tree(const taut_view& view, tree_of what, taut_launch* launch);
/* Of `count` numbers, each becomes the sum of those before it. */
void cuda_scan(uint32_t* numbers, size_t count, const taut_collide_scratch& scratch, taut_launch* launch);
/* Sorts so many of keys[0] with values[0], stably; where they are then. */
void cuda_sort_items(uint32_t count, int bits, const taut_collide_scratch& scratch, const uint32_t** keys,
                     const uint32_t** values, taut_launch* launch);
void cuda_build_tree(const taut_view& view, tree_of what, const taut_collide_scratch& scratch, taut_launch* launch);
/* The contacts of a part that has been judged, where it is kept; with `begins` those before the step (events.cu). */
void cuda_record_events(const taut_view& view, bool begins, const taut_collide_scratch& scratch, taut_launch* launch);
/* Enqueues a part of that, or with `temporary` NULL says what memory it needs. */
cudaError_t cuda_scan_events(const taut_view& view, void* temporary, size_t* bytes, cudaStream_t stream);
/* Answers queries that are in the block (query.cu). */
void cuda_query(const taut_view& view, const taut_query_batch& batch, const taut_collide_scratch& scratch,
                taut_launch* launch);
/* Into its place among contact_count. */
void cuda_find_overlaps(const taut_view& view, double margin, const taut_collide_scratch& scratch, taut_launch* launch);

#endif
