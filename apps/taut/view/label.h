/* Words on pictures. */
#ifndef TAUT_VIEW_LABEL_H
#define TAUT_VIEW_LABEL_H

#include "image.h"

// In the upper left corner, dark; what does not fit is cut off. Letters that the font has not are question marks.
void draw_label(Image& image, const std::string& text);

#endif
