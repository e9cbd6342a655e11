/* Surfaces through assimp: every format it knows but OBJ. */
#include "base/input_file.h"
#include "mesh/mesh_readers.h"

#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <string.h>
#include <strings.h>

/* ---- before assimp -------------------------------------------------------------------------------------------- */

static bool has_ending(const char* path, const char* ending) {
    return strcasecmp(input_file_ending(path), ending) == 0;
}

static bool has_line(FILE* stream, const char* wanted) {
    char line[256];
    while (fgets(line, sizeof line, stream)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strcmp(line, wanted) == 0) {
            return true;
        }
    }
    return false;
}

/* assimp 5.2.5 never returns from a PLY header without an end. */
static bool check_ply(const char* path, report* r) {
    FILE* stream = NULL;
    size_t size = 0;
    if (!input_file_open(path, &stream, &size, r)) {
        return false;
    }
    const bool ok = has_line(stream, "end_header");
    (void)fclose(stream);
    return ok || report_fail(r, "%s: is no PLY file: there is no line 'end_header'", path);
}

/* ---- from assimp's scene -------------------------------------------------------------------------------------- */

typedef struct import {
    const struct aiScene* scene;
    const char* path;
    mesh_draft* draft;
    report* r;
} import;

static void transform(const struct aiMatrix4x4* m, const struct aiVector3D* v, double out[3]) {
    const double x = v->x;
    const double y = v->y;
    const double z = v->z;
    out[0] = m->a1 * x + m->a2 * y + m->a3 * z + m->a4;
    out[1] = m->b1 * x + m->b2 * y + m->b3 * z + m->b4;
    out[2] = m->c1 * x + m->c2 * y + m->c3 * z + m->c4;
}

/* Triangles of one polygon as a fan; lines and points have no area and are skipped. */
static bool add_face(const import* in, const struct aiMesh* part, const struct aiFace* face, uint32_t first) {
    const size_t begin = in->draft->element_count;
    for (unsigned k = 2; k < face->mNumIndices; k++) {
        uint32_t fan[3] = {face->mIndices[0], face->mIndices[k - 1], face->mIndices[k]};
        for (int c = 0; c < 3; c++) {
            if (fan[c] >= part->mNumVertices) {
                return report_fail(in->r, "%s: a face names point %u of %u", in->path, fan[c], part->mNumVertices);
            }
            fan[c] += first;
        }
        if (!mesh_draft_add_element(in->draft, fan, 0, in->r)) {
            return false;
        }
    }
    mesh_draft_end_polygon(in->draft, begin);
    return true;
}

static bool add_part(const import* in, const struct aiMesh* part, const struct aiMatrix4x4* placed) {
    const size_t first = in->draft->point_count;
    if (part->mNumVertices > UINT32_MAX - first) {
        return report_fail(in->r, "%s: has too many points", in->path);
    }
    for (unsigned i = 0; i < part->mNumVertices; i++) {
        double point[3];
        transform(placed, &part->mVertices[i], point);
        if (!mesh_draft_add_point(in->draft, point, in->r)) {
            return false;
        }
    }
    for (unsigned i = 0; i < part->mNumFaces; i++) {
        if (!add_face(in, part, &part->mFaces[i], (uint32_t)first)) {
            return false;
        }
    }
    return true;
}

static bool add_node(const import* in, const struct aiNode* node, struct aiMatrix4x4 parent) {
    struct aiMatrix4x4 placed = parent;
    aiMultiplyMatrix4(&placed, &node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        if (!add_part(in, in->scene->mMeshes[node->mMeshes[i]], &placed)) {
            return false;
        }
    }
    for (unsigned i = 0; i < node->mNumChildren; i++) {
        if (!add_node(in, node->mChildren[i], placed)) {
            return false;
        }
    }
    return true;
}

/* In these formats faces share the points of one list, and assimp leaves that list as it is. In the others a point
 * may stand there once per face, or once per normal. */
static bool shares_points(const char* path) {
    return has_ending(path, "ply") || has_ending(path, "off");
}

static bool take_scene(const import* in) {
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    return add_node(in, in->scene->mRootNode, identity) &&
           (shares_points(in->path) || mesh_draft_join(in->draft, in->r));
}

static bool known_ending(const char* path) {
    char ending[32];
    (void)snprintf(ending, sizeof ending, ".%s", input_file_ending(path));
    return aiIsExtensionSupported(ending) == AI_TRUE;
}

bool mesh_read_assimp(const char* path, mesh_draft* d, report* r) {
    if (has_ending(path, "ply") && !check_ply(path, r)) {
        return false;
    }
    if (!known_ending(path)) {
        return report_fail(r, "%s: files that end in '%s' are not read as surfaces", path, input_file_ending(path));
    }
    const struct aiScene* scene = aiImportFile(path, 0);
    if (!scene || !scene->mRootNode) {
        return report_fail(r, "%s: cannot be read as a surface: %s", path, aiGetErrorString());
    }
    const bool ok = take_scene(&(import){scene, path, d, r});
    aiReleaseImport(scene);
    return ok;
}
