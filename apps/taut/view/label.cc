#include "label.h"

#include "window.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

// Darkens a pixel by a part of 255.
static void ink(Image& image, int x, int y, int part) {
    if (x < 0 || y < 0 || x >= image.width || y >= image.height) {
        return;
    }
    uint8_t* pixel = &image.pixels[3 * ((size_t)y * image.width + x)];
    for (int channel = 0; channel < 3; channel++) {
        pixel[channel] = (uint8_t)(pixel[channel] + (40 - pixel[channel]) * part / 255);
    }
}

// A letter of the font's texture, pixel by pixel, with its upper left corner at (x, y).
static void draw_letter(Image& image, const ImFontAtlas& atlas, const ImFontGlyph& letter, float x, float y) {
    const int left = (int)std::lround(letter.U0 * (float)atlas.TexWidth),
              top = (int)std::lround(letter.V0 * (float)atlas.TexHeight);
    const int width = (int)std::lround(letter.X1 - letter.X0), height = (int)std::lround(letter.Y1 - letter.Y0);
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) {
            const int at =
                std::min(top + row, atlas.TexHeight - 1) * atlas.TexWidth + std::min(left + column, atlas.TexWidth - 1);
            ink(image, (int)std::lround(x + letter.X0) + column, (int)std::lround(y + letter.Y0) + row,
                atlas.TexPixelsAlpha8[at]);
        }
    }
}

void draw_label(Image& image, const std::string& text) {
    const float height = std::max(13.0f, std::round((float)image.height / 32)), margin = std::round(0.6f * height);
    ImFontAtlas atlas;
    ImFontConfig config;
    config.SizePixels = height;
    config.OversampleH = 1; // a texel is a pixel
    config.PixelSnapH = true;
    ImFont* font =
        readable_font() ? atlas.AddFontFromFileTTF(readable_font(), height, &config) : atlas.AddFontDefault(&config);
    unsigned char* pixels = nullptr;
    int size[2];
    atlas.GetTexDataAsAlpha8(&pixels, &size[0], &size[1]);
    float x = margin;
    for (const char c : text) {
        const ImFontGlyph& letter = *font->FindGlyph((ImWchar)(unsigned char)c);
        draw_letter(image, atlas, letter, x, margin);
        x += letter.AdvanceX;
    }
}
