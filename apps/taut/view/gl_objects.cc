#include "gl_objects.h"

#include <stdexcept>

/* ---- programs ------------------------------------------------------------------------------------------------- */

static void require(GLint good, GLuint id, PFNGLGETSHADERINFOLOGPROC read_log, const char* what) {
    if (!good) {
        char log[1024] = "";
        read_log(id, sizeof log, nullptr, log);
        throw std::runtime_error(std::string(what) + log);
    }
}

static GLuint compile(GLenum stage, std::initializer_list<const char*> parts) {
    const GLuint id = glCreateShader(stage);
    glShaderSource(id, (GLsizei)parts.size(), parts.begin(), nullptr);
    glCompileShader(id);
    GLint good = 0;
    glGetShaderiv(id, GL_COMPILE_STATUS, &good);
    require(good, id, glGetShaderInfoLog, "a shader does not compile: ");
    return id;
}

Program::Program(std::initializer_list<const char*> vertex, std::initializer_list<const char*> fragment) {
    const GLuint stages[] = {compile(GL_VERTEX_SHADER, vertex), compile(GL_FRAGMENT_SHADER, fragment)};
    id_ = glCreateProgram();
    for (GLuint stage : stages) {
        glAttachShader(id_, stage);
        glDeleteShader(stage);
    }
    glLinkProgram(id_);
    GLint good = 0;
    glGetProgramiv(id_, GL_LINK_STATUS, &good);
    require(good, id_, glGetProgramInfoLog, "shaders do not link: ");
}

/* ---- targets -------------------------------------------------------------------------------------------------- */

static GLuint make_texture(GLenum format, int width, int height, bool depth) {
    GLuint id = 0;
    glGenTextures(1, &id);
    glBindTexture(GL_TEXTURE_2D, id);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, depth ? GL_DEPTH_COMPONENT : GL_RGBA, GL_FLOAT,
                 nullptr);
    const GLint filter = depth ? GL_LINEAR : GL_NEAREST;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    if (depth) {
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    }
    return id;
}

Target::Target(Kind kind, GLenum format, int width, int height) : width_(width), height_(height) {
    glGenFramebuffers(1, &framebuffer_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    if (kind == Kind::multisampled) {
        const GLenum formats[] = {format, GL_DEPTH_COMPONENT24};
        const GLenum places[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT};
        glGenRenderbuffers(2, buffers_);
        for (int i = 0; i < 2; i++) {
            glBindRenderbuffer(GL_RENDERBUFFER, buffers_[i]);
            glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, formats[i], width, height);
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, places[i], GL_RENDERBUFFER, buffers_[i]);
        }
    } else {
        const bool depth = kind == Kind::depth;
        texture_ = make_texture(format, width, height, depth);
        glFramebufferTexture2D(GL_FRAMEBUFFER, depth ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                               texture_, 0);
        if (depth) {
            glDrawBuffer(GL_NONE);
            glReadBuffer(GL_NONE);
        }
    }
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        throw std::runtime_error("this OpenGL has no picture of the size " + std::to_string(width) + " x " +
                                 std::to_string(height));
    }
}

Target::~Target() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteTextures(1, &texture_);
    glDeleteRenderbuffers(2, buffers_);
}

void Target::bind() const {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glViewport(0, 0, width_, height_);
}
