/* Where the frames of a rendering go: one picture, numbered pictures, or a video by ffmpeg. */
#ifndef TAUT_VIEW_FRAME_WRITER_H
#define TAUT_VIEW_FRAME_WRITER_H

#include "image.h"

#include <memory>

class FrameWriter {
  public:
    virtual ~FrameWriter() = default;
    virtual bool write(const Image& image, size_t frame, report* r) = 0;
    // Completes what is written. A writer that was not closed leaves nothing half done.
    virtual bool close(report* r) = 0;
};

enum class OutputKind { picture, pictures, video, unknown };

// By the name: X.png, X%04d.png, or a container of videos.
OutputKind output_kind(const std::string& path);
// `rate`: frames a second.
std::unique_ptr<FrameWriter> open_writer(const std::string& path, double rate, report* r);

#endif
