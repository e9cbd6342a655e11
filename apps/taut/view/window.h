/* A window with OpenGL and Dear ImGui, and the events of mouse and keys. */
#ifndef TAUT_VIEW_WINDOW_H
#define TAUT_VIEW_WINDOW_H

#include <string>
#include <vector>

struct GLFWwindow;

struct Event {
    enum class Kind { press, release, move, scroll, key } kind;
    int code = 0;        // of button or key, as GLFW has them
    int modifiers = 0;   // as GLFW has them
    double x = 0, y = 0; // place in pixels from the top left; of the wheel, turns
};

// ImGui's own letters are of pixels; those of this file are read more easily. NULL where it is not installed.
const char* readable_font();

class Window {
  public:
    Window(int width, int height, const std::string& title); // throws std::runtime_error
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ~Window();

    bool closed() const;
    void close();
    void size(int* width, int* height) const;             // in units of the mouse
    void framebuffer_size(int* width, int* height) const; // in pixels
    // What has happened since the last call. `patience`: seconds to wait where nothing has.
    std::vector<Event> events(double patience);
    // As if the events had come from mouse and keys.
    void pretend(const std::vector<Event>& events);
    void begin_panels();
    void draw_panels();
    void show();

  private:
    static Window& of(GLFWwindow* window);
    void note(Event event);
    static void install(GLFWwindow* window);

    GLFWwindow* window_ = nullptr;
    std::vector<Event> events_;
    double x_ = 0, y_ = 0;
    bool pretending_ = false;
    bool held_[3] = {false, false, false};
};

#endif
