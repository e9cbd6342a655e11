#include "palette.h"

#include <algorithm>
#include <cmath>
#include <iterator>

const Colour rope_colour = {232, 219, 190, 255}, collider_colour = {176, 180, 186, 255},
             contact_colour = {255, 122, 26, 255}, force_colour = {255, 196, 46, 255};

static const Colour objects[] = {{203, 74, 52, 255},   {26, 140, 132, 255}, {233, 176, 62, 255}, {58, 84, 134, 255},
                                 {139, 163, 101, 255}, {150, 88, 126, 255}, {226, 128, 90, 255}, {97, 160, 190, 255}};

// The colour maps viridis (Smith and van der Walt) and coolwarm (Moreland) at even places.
static const Colour viridis[] = {{68, 1, 84, 255},    {71, 44, 122, 255},  {59, 81, 139, 255},
                                 {44, 113, 142, 255}, {33, 144, 141, 255}, {39, 173, 129, 255},
                                 {92, 200, 99, 255},  {170, 220, 50, 255}, {253, 231, 37, 255}};
static const Colour coolwarm[] = {{59, 76, 192, 255},   {124, 159, 249, 255}, {192, 212, 245, 255},
                                  {221, 221, 221, 255}, {245, 196, 173, 255}, {238, 132, 104, 255},
                                  {180, 4, 38, 255}};

template <size_t N> static Colour look_up(const Colour (&map)[N], float t) {
    const float place = std::clamp(std::isfinite(t) ? t : 1.0f, 0.0f, 1.0f) * (float)(N - 1);
    const size_t i = std::min((size_t)place, N - 2);
    const float w = place - (float)i;
    const auto mix = [w](uint8_t a, uint8_t b) { return (uint8_t)std::lround((1 - w) * (float)a + w * (float)b); };
    return {mix(map[i].r, map[i + 1].r), mix(map[i].g, map[i + 1].g), mix(map[i].b, map[i + 1].b), 255};
}

Colour object_colour(size_t i) {
    return objects[i % std::size(objects)];
}

Colour value_colour(float t) {
    return look_up(viridis, t);
}

Colour signed_colour(float t) {
    return look_up(coolwarm, 0.5f + 0.5f * t);
}
