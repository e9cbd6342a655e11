#include "shaders.h"

const char glsl_version[] = "#version 330 core\n";

// What is behind everything: lighter below, in linear colours.
const char backdrop_text[] = R"(
uniform vec3 backdrop_low, backdrop_high;
uniform float picture_height;
vec3 backdrop() { return mix(backdrop_low, backdrop_high, smoothstep(0.0, 1.0, gl_FragCoord.y / picture_height)); }
)";

// The light that reaches a point. The lamp has an angle, so that each sample of a picture has another direction; the
// sky is a dome of which each sample sees one direction, or, without samples, a gradient without shadows.
const char light_text[] = R"(
uniform sampler2DShadow lamp_depth, sky_depth;
uniform mat4 lamp_matrix, sky_matrix;
uniform vec3 lamp_direction, sky_direction, up;
uniform bool sampled;
uniform float lamp_texel, sky_texel; // m
const vec3 lamp_colour = vec3(0.92, 0.87, 0.80), sky_colour = vec3(0.48, 0.51, 0.58), bounce_colour = vec3(0.27, 0.26, 0.25);

float reaches(sampler2DShadow depths, mat4 matrix, vec3 position, int width) {
    vec3 p = (matrix * vec4(position, 1)).xyz * 0.5 + 0.5;
    if (any(lessThan(p, vec3(0))) || any(greaterThan(p, vec3(1)))) {
        return 1.0;
    }
    vec2 texel = 1.0 / vec2(textureSize(depths, 0));
    float sum = 0.0;
    for (int i = -width; i <= width; i++) {
        for (int j = -width; j <= width; j++) {
            sum += texture(depths, vec3(p.xy + vec2(i, j) * texel, p.z));
        }
    }
    return sum / float((2 * width + 1) * (2 * width + 1));
}

float lamp_reaches(vec3 position, vec3 normal) {
    return reaches(lamp_depth, lamp_matrix, position + 2.0 * lamp_texel * normal, sampled ? 1 : 2);
}

vec3 sky_light(vec3 position, vec3 normal) {
    float height = 0.5 + 0.5 * dot(normal, up);
    vec3 from_below = bounce_colour * (1.0 - height);
    if (!sampled) {
        return sky_colour * height + from_below;
    }
    float seen = reaches(sky_depth, sky_matrix, position + 2.0 * sky_texel * normal, 1);
    return sky_colour * 2.0 * max(dot(normal, sky_direction), 0.0) * seen + from_below;
}
)";

const char depth_vertex[] = R"(
layout(location = 0) in vec3 position;
uniform mat4 matrix;
void main() { gl_Position = matrix * vec4(position, 1); }
)";

const char depth_fragment[] = "void main() {}\n";

const char surface_vertex[] = R"(
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 colour;
layout(location = 3) in vec4 look;
uniform mat4 matrix;
out vec3 at, facing;
out vec3 albedo;
out vec4 manner; // roughness, sheen, lighter back, in front
void main() {
    at = position;
    facing = normal;
    albedo = pow(colour.rgb, vec3(2.2));
    manner = look;
    gl_Position = matrix * vec4(position, 1);
    float nearest = 0.02 * (gl_Position.z + gl_Position.w) - gl_Position.w; // the first fiftieth of all depths
    gl_Position.z = mix(gl_Position.z, nearest, look.a);
}
)";

// Lambert's law, and for the lamp the distribution of Trowbridge and Reitz with Smith's masking; Schlick's Fresnel
// term.
const char surface_fragment[] = R"(
in vec3 at, facing;
in vec3 albedo;
in vec4 manner;
uniform vec3 eye;
out vec4 colour;
const float pi = 3.14159265;

float glint(vec3 n, vec3 v, vec3 l, float roughness) {
    vec3 h = normalize(v + l);
    float nl = max(dot(n, l), 0.0), nv = max(dot(n, v), 1e-3), nh = max(dot(n, h), 0.0);
    float a2 = pow(roughness, 4.0);
    float d = a2 / (pi * pow(nh * nh * (a2 - 1.0) + 1.0, 2.0));
    float k = 0.125 * pow(roughness + 1.0, 2.0);
    float masking = 1.0 / ((nl * (1.0 - k) + k) * (nv * (1.0 - k) + k));
    float fresnel = 0.04 + 0.96 * pow(1.0 - max(dot(h, v), 0.0), 5.0);
    return 0.25 * d * masking * fresnel * nl * pi;
}

void main() {
    vec3 v = normalize(eye - at);
    vec3 n = normalize(facing);
    bool back = dot(n, v) < 0.0;
    n = back ? -n : n;
    vec3 own = back ? mix(albedo, vec3(0.9), manner.z) : albedo;
    float lamp = max(dot(n, lamp_direction), 0.0);
    lamp = lamp > 0.0 ? lamp * lamp_reaches(at, n) : 0.0;
    vec3 sky = sky_light(at, n);
    vec3 irradiance = mix(lamp_colour * lamp + sky, vec3(1), 0.8 * manner.w);
    float grazing = pow(1.0 - max(dot(n, v), 0.0), 4.0);
    vec3 shine = lamp_colour * (lamp > 0.0 ? glint(n, v, lamp_direction, manner.x) * lamp / max(dot(n, lamp_direction), 1e-3) : 0.0);
    vec3 rim = grazing * (manner.y * 0.35 * (0.4 + 0.6 * own) + (1.0 - manner.x) * 0.22) * irradiance;
    colour = vec4(own * irradiance + shine + rim, 1);
}
)";

const char floor_vertex[] = R"(
uniform mat4 matrix;
uniform vec3 centre, side, other;
uniform float extent;
out vec3 at;
out vec2 place;
void main() {
    vec2 corner = vec2(gl_VertexID % 2, gl_VertexID / 2) * 2.0 - 1.0;
    place = corner;
    at = centre + extent * (corner.x * side + corner.y * other);
    gl_Position = matrix * vec4(at, 1);
}
)";

const char floor_fragment[] = R"(
in vec3 at;
in vec2 place;
uniform vec3 centre, side, other, normal;
uniform float spacing, lines;
out vec4 colour;

float line(vec2 p, float width) {
    vec2 size = fwidth(p);
    vec2 near = abs(fract(p - 0.5) - 0.5) / max(size, vec2(1e-6));
    vec2 shown = clamp(width - near, 0.0, 1.0) * clamp(1.5 - 4.0 * size, 0.0, 1.0);
    return max(shown.x, shown.y);
}

void main() {
    // As a free floor has it, 1: the mean of 2 cos over the dome is 1.
    vec3 free = lamp_colour * max(dot(up, lamp_direction), 0.0) + sky_colour;
    float lamp = max(dot(normal, lamp_direction), 0.0) * lamp_reaches(at, normal);
    vec3 light = lamp_colour * lamp + sky_light(at, normal) - bounce_colour * (0.5 - 0.5 * dot(normal, up));
    light = mix(light, free, 0.12); // what things around throw back
    float away = smoothstep(0.25, 1.0, length(place));
    vec3 shaded = backdrop() * mix(light / free, vec3(1), away);
    vec2 metres = vec2(dot(at, side), dot(at, other)) / spacing;
    float grid = max(0.3 * line(metres, 1.0), 0.6 * line(metres / 10.0, 1.0));
    colour = vec4(mix(shaded, 0.72 * shaded, lines * grid * (1.0 - smoothstep(0.0, 0.5, length(place)))), 1);
}
)";

const char whole_vertex[] = R"(
void main() { gl_Position = vec4(vec2(gl_VertexID % 2, gl_VertexID / 2) * 4.0 - 1.0, 0, 1); }
)";

const char backdrop_fragment[] = R"(
out vec4 colour;
void main() { colour = vec4(backdrop(), 1); }
)";

const char copy_fragment[] = R"(
uniform sampler2D picture;
out vec4 colour;
void main() { colour = texelFetch(picture, ivec2(gl_FragCoord.xy), 0); }
)";

// A shoulder leaves bright colours their differences; then the curve of sRGB.
const char tone_fragment[] = R"(
uniform sampler2D picture;
uniform float part;
out vec4 colour;
void main() {
    vec3 x = texelFetch(picture, ivec2(gl_FragCoord.xy), 0).rgb * part;
    x = mix(x, 0.7 + 0.3 * (1.0 - exp(-(max(x, 0.7) - 0.7) / 0.3)), step(0.7, x));
    colour = vec4(mix(12.92 * x, 1.055 * pow(max(x, 0.0031308), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, x)), 1);
}
)";
