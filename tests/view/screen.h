// A screen in memory (Xvfb), which lives as long as the test; DISPLAY names it.
#pragma once

#include <sys/types.h>

namespace view {

class Screen {
  public:
    Screen();
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    bool there() const { return process_ > 0; } // false where Xvfb is not installed

  private:
    pid_t process_ = -1;
};

} // namespace view
