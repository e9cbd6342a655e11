#include "window.h"

#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unistd.h>

static std::string last_glfw_error() {
    const char* words = nullptr;
    glfwGetError(&words);
    return words ? words : "the window system has none";
}

/* ---- looks of the panels -------------------------------------------------------------------------------------- */

static ImVec4 grey(float v, float a = 1) {
    return {v, v * 1.01f, v * 1.04f, a};
}

static void set_style() {
    ImGui::StyleColorsLight();
    ImGuiStyle& style = ImGui::GetStyle();
    style.WindowRounding = 8;
    style.FrameRounding = 5;
    style.GrabRounding = 5;
    style.WindowBorderSize = 0;
    style.WindowPadding = {14, 12};
    style.FramePadding = {8, 4};
    style.ItemSpacing = {8, 6};
    style.Colors[ImGuiCol_WindowBg] = grey(0.99f, 0.93f);
    style.Colors[ImGuiCol_TitleBg] = style.Colors[ImGuiCol_TitleBgActive] = grey(0.93f, 0.97f);
    style.Colors[ImGuiCol_FrameBg] = grey(0.90f);
    style.Colors[ImGuiCol_FrameBgHovered] = grey(0.86f);
    style.Colors[ImGuiCol_Header] = grey(0.92f);
    style.Colors[ImGuiCol_HeaderHovered] = grey(0.87f);
    style.Colors[ImGuiCol_Button] = grey(0.88f);
    style.Colors[ImGuiCol_SliderGrab] = style.Colors[ImGuiCol_CheckMark] = {0.10f, 0.55f, 0.52f, 1};
    style.Colors[ImGuiCol_SliderGrabActive] = style.Colors[ImGuiCol_ButtonActive] = {0.07f, 0.45f, 0.43f, 1};
    style.Colors[ImGuiCol_PlotLines] = {0.10f, 0.55f, 0.52f, 1};
}

const char* readable_font() {
    static const char path[] = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
    return access(path, R_OK) == 0 ? path : nullptr;
}

static void set_font() {
    if (readable_font()) {
        ImGui::GetIO().Fonts->AddFontFromFileTTF(readable_font(), 14.5f);
    }
}

/* ---- window --------------------------------------------------------------------------------------------------- */

Window& Window::of(GLFWwindow* window) {
    return *static_cast<Window*>(glfwGetWindowUserPointer(window));
}

Window::Window(int width, int height, const std::string& title) {
    if (!glfwInit()) {
        throw std::runtime_error("there is no screen to show a window on (" + last_glfw_error() +
                                 "); taut render makes pictures without one");
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    window_ = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
    if (!window_) {
        const std::string cause = last_glfw_error();
        glfwTerminate();
        throw std::runtime_error("no window with OpenGL 3.3 can be opened: " + cause);
    }
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(window_, this);
    install(window_);
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    set_style();
    set_font();
    ImGui_ImplGlfw_InitForOpenGL(window_, true); // calls what is installed, too
    ImGui_ImplOpenGL3_Init("#version 330 core");
}

Window::~Window() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    glfwDestroyWindow(window_);
    glfwTerminate();
}

bool Window::closed() const {
    return glfwWindowShouldClose(window_);
}
void Window::close() {
    glfwSetWindowShouldClose(window_, GLFW_TRUE);
}
void Window::size(int* width, int* height) const {
    glfwGetWindowSize(window_, width, height);
}
void Window::framebuffer_size(int* width, int* height) const {
    glfwGetFramebufferSize(window_, width, height);
}

/* ---- events --------------------------------------------------------------------------------------------------- */

void Window::note(Event event) {
    if (event.kind == Event::Kind::move) {
        x_ = event.x;
        y_ = event.y;
    } else if (event.kind != Event::Kind::scroll) {
        event.x = x_;
        event.y = y_;
    }
    events_.push_back(event);
}

void Window::install(GLFWwindow* window) {
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
        of(w).note({Event::Kind::move, 0, 0, x, y});
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int modifiers) {
        of(w).note({action == GLFW_PRESS ? Event::Kind::press : Event::Kind::release, button, modifiers, 0, 0});
    });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) {
        of(w).note({Event::Kind::scroll, 0, 0, x, y});
    });
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int, int action, int modifiers) {
        if (action != GLFW_RELEASE) {
            of(w).note({Event::Kind::key, key, modifiers, 0, 0});
        }
    });
}

std::vector<Event> Window::events(double patience) {
    if (patience > 0) {
        glfwWaitEventsTimeout(patience);
    } else {
        glfwPollEvents();
    }
    std::vector<Event> all;
    all.swap(events_);
    return all;
}

void Window::pretend(const std::vector<Event>& events) {
    pretending_ = true;
    for (const Event& e : events) {
        if ((e.kind == Event::Kind::press || e.kind == Event::Kind::release) && e.code < 3) {
            held_[e.code] = e.kind == Event::Kind::press;
        }
        note(e);
    }
}

/* ---- a picture ------------------------------------------------------------------------------------------------ */

void Window::begin_panels() {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    if (pretending_) {
        ImGuiIO& io = ImGui::GetIO();
        io.MousePos = {(float)x_, (float)y_};
        std::copy(held_, held_ + 3, io.MouseDown);
    }
    ImGui::NewFrame();
}

void Window::draw_panels() {
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Window::show() {
    glfwSwapBuffers(window_);
}
