/* What a scene of arrays looks like, as the objects that the viewer draws. */
#ifndef TAUT_PYTHON_DRAWN_OBJECTS_H
#define TAUT_PYTHON_DRAWN_OBJECTS_H

#include "../binding/scene_shapes.h"
#include "view/simulation.h"

#include <deque>

/* Objects of both lists belong together; they point to what is beside them. */
struct DrawnObjects {
    std::vector<scene_object> of_file;
    std::vector<built_object> built;
    std::vector<Line> lines;

    std::deque<std::string> names;
    std::deque<std::vector<Shapes::Triangle>> triangles;
    std::deque<std::vector<Shapes::Place>> skins;
};

/* positions: of `count` points now, m. False after setting the report. */
bool draw_shapes(const Shapes& shapes, const std::vector<Shapes::Place>& positions, DrawnObjects* out, report* r);

#endif
