#include "frame_writer.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "base/directory.h"
#include "base/file_claims.h"
}

/* ---- pictures ------------------------------------------------------------------------------------------------- */

namespace {

// Where the number stands in a name: %d, or %04d with the number of digits.
struct NumberPlace {
    size_t begin = std::string::npos, end = 0;
    int digits = 0;
    bool found() const { return begin != std::string::npos; }
};

NumberPlace number_place(const std::string& path) {
    NumberPlace place;
    const size_t at = path.find('%');
    if (at == std::string::npos) {
        return place;
    }
    size_t end = at + 1;
    int digits = 0;
    while (end < path.size() && path[end] >= '0' && path[end] <= '9' && digits < 100) {
        digits = 10 * digits + (path[end++] - '0');
    }
    if (end < path.size() && path[end] == 'd' && digits <= 12) {
        place = {at, end + 1, digits};
    }
    return place;
}

class Pictures : public FrameWriter {
  public:
    explicit Pictures(std::string path) : path_(std::move(path)) {}
    bool write(const Image& image, size_t frame, report* r) override { return write_png(image, name_of(frame), r); }
    bool close(report*) override { return true; }

  private:
    std::string name_of(size_t frame) const {
        const NumberPlace place = number_place(path_);
        if (!place.found()) {
            return path_;
        }
        std::string number = std::to_string(frame);
        number.insert(0, (size_t)std::max(0, place.digits - (int)number.size()), '0');
        return path_.substr(0, place.begin) + number + path_.substr(place.end);
    }
    std::string path_;
};

/* ---- videos --------------------------------------------------------------------------------------------------- */

// What ffmpeg gets: raw pictures by a pipe. It writes beside the place of the video, which is renamed when complete.
class Video : public FrameWriter {
  public:
    Video(const std::string& path, double rate, file_claim* claim)
        : path_(path), part_(path + ".part" + path.substr(path.rfind('.'))), rate_(rate), claim_(claim) {}
    ~Video() override {
        report ignored = {};
        if (process_ > 0) {
            (void)end(&ignored);
        }
        (void)unlink(part_.c_str());
        file_claim_release(claim_);
    }

    bool write(const Image& image, size_t, report* r) override {
        if (process_ < 0 && !start(image, r)) {
            return false;
        }
        const uint8_t* at = image.pixels.data();
        for (size_t left = image.pixels.size(); left > 0;) {
            const ssize_t written = ::write(pipe_, at, left);
            if (written < 0 && errno != EINTR) {
                return end(r) && report_fail(r, "%s: ffmpeg takes no more pictures", path_.c_str());
            }
            at += written > 0 ? written : 0;
            left -= written > 0 ? (size_t)written : 0;
        }
        return true;
    }

    bool close(report* r) override {
        if (process_ < 0) {
            return report_fail(r, "%s: there was no frame to write", path_.c_str());
        }
        if (!end(r)) {
            return false;
        }
        return rename(part_.c_str(), path_.c_str()) == 0 || report_fail(r, "%s: %s", path_.c_str(), strerror(errno));
    }

  private:
    bool start(const Image& image, report* r) {
        int ends[2];
        const std::string size = std::to_string(image.width) + "x" + std::to_string(image.height);
        char rate[32];
        (void)snprintf(rate, sizeof rate, "%.6g", rate_);
        if (pipe(ends) != 0) {
            return report_fail(r, "%s: %s", path_.c_str(), strerror(errno));
        }
        process_ = fork();
        if (process_ == 0) {
            (void)dup2(ends[0], 0);
            (void)::close(ends[0]);
            (void)::close(ends[1]);
            signal(SIGPIPE, SIG_DFL);
            signal(SIGINT, SIG_IGN); // Ctrl-C ends the frames, and the video is completed
            // Players want sizes of even numbers.
            (void)execlp("ffmpeg", "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
                         size.c_str(), "-r", rate, "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt",
                         "yuv420p", part_.c_str(), (char*)nullptr);
            _exit(127);
        }
        (void)::close(ends[0]);
        pipe_ = ends[1];
        return process_ > 0 || report_fail(r, "%s: %s", path_.c_str(), strerror(errno));
    }

    bool end(report* r) {
        int status = 0;
        (void)::close(pipe_);
        while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
        process_ = -1;
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return code == 0 || report_fail(r, "%s: ffmpeg failed with status %d", path_.c_str(), code);
    }

    std::string path_, part_;
    double rate_;
    file_claim* claim_;
    pid_t process_ = -1;
    int pipe_ = -1;
};

bool on_path(const char* program) {
    const char* folders = getenv("PATH");
    std::string rest = folders ? folders : "";
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(':'), rest.size());
        if (access((rest.substr(0, end) + "/" + program).c_str(), X_OK) == 0) {
            return true;
        }
        rest = end < rest.size() ? rest.substr(end + 1) : "";
    }
    return false;
}

} // namespace

OutputKind output_kind(const std::string& path) {
    static const char* const videos[] = {".mp4", ".mkv", ".webm", ".mov"};
    const auto ends_with = [&path](const char* ending) {
        const size_t length = strlen(ending);
        return path.size() > length && path.compare(path.size() - length, length, ending) == 0;
    };
    if (ends_with(".png")) {
        return number_place(path).found() ? OutputKind::pictures : OutputKind::picture;
    }
    for (const char* ending : videos) {
        if (ends_with(ending)) {
            return OutputKind::video;
        }
    }
    return OutputKind::unknown;
}

std::unique_ptr<FrameWriter> open_writer(const std::string& path, double rate, report* r) {
    const size_t slash = path.rfind('/');
    std::string folder = path.substr(0, slash == std::string::npos ? 0 : slash);
    if (!folder.empty() && !directory_make(&folder[0], r)) {
        return nullptr;
    }
    if (output_kind(path) != OutputKind::video) {
        return std::make_unique<Pictures>(path);
    }
    if (!on_path("ffmpeg")) {
        report_fail(r, "%s: videos need ffmpeg, which is not on this machine; DIR/frame-%%04d.png writes pictures",
                    path.c_str());
        return nullptr;
    }
    file_claim* claim = file_claim_output(path.c_str(), r);
    return claim ? std::make_unique<Video>(path, rate, claim) : nullptr;
}
