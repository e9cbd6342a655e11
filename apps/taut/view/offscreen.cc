#include "offscreen.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <stdexcept>

// Without a platform of windows: what draws is a device of its own, or Mesa's software.
Offscreen::Offscreen() {
    static const EGLint asked[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
        throw std::runtime_error("this machine's EGL draws on screens only (Debian: libegl-mesa0 and libgl1-mesa-dri "
                                 "draw without one)");
    }
    display_ = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (!eglInitialize(display_, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API)) {
        throw std::runtime_error("EGL does not start without a screen");
    }
    context_ = eglCreateContext(display_, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, asked);
    if (!context_ || !eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) {
        throw std::runtime_error("EGL has no context of OpenGL 3.3 without a screen");
    }
}

Offscreen::~Offscreen() {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
    eglTerminate(display_);
}
