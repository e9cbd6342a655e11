/* A context of OpenGL without a screen, by EGL. */
#ifndef TAUT_VIEW_OFFSCREEN_H
#define TAUT_VIEW_OFFSCREEN_H

class Offscreen {
  public:
    Offscreen(); // throws std::runtime_error
    Offscreen(const Offscreen&) = delete;
    Offscreen& operator=(const Offscreen&) = delete;
    ~Offscreen();

  private:
    void* display_ = nullptr;
    void* context_ = nullptr;
};

#endif
