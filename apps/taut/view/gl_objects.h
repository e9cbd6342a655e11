/* OpenGL objects with owners. */
#ifndef TAUT_VIEW_GL_OBJECTS_H
#define TAUT_VIEW_GL_OBJECTS_H

#include <epoxy/gl.h>

#include <glm/glm.hpp>

#include <initializer_list>
#include <string>

class Program {
  public:
    // Sources, each in parts; throws std::runtime_error with the compiler's words.
    Program(std::initializer_list<const char*> vertex, std::initializer_list<const char*> fragment);
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() { glDeleteProgram(id_); }

    void use() const { glUseProgram(id_); }
    void set(const char* name, int value) const { glUniform1i(at(name), value); }
    void set(const char* name, float value) const { glUniform1f(at(name), value); }
    void set(const char* name, const glm::vec2& v) const { glUniform2fv(at(name), 1, &v[0]); }
    void set(const char* name, const glm::vec3& v) const { glUniform3fv(at(name), 1, &v[0]); }
    void set(const char* name, const glm::mat4& m) const { glUniformMatrix4fv(at(name), 1, GL_FALSE, &m[0][0]); }

  private:
    GLint at(const char* name) const { return glGetUniformLocation(id_, name); }
    GLuint id_ = 0;
};

// A picture that is drawn into: colour, depth, or both.
class Target {
  public:
    enum class Kind { colour, multisampled, depth };
    Target(Kind kind, GLenum format, int width, int height);
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
    ~Target();

    void bind() const; // with its whole size as the viewport
    GLuint framebuffer() const { return framebuffer_; }
    GLuint texture() const { return texture_; }
    int width() const { return width_; }
    int height() const { return height_; }

  private:
    GLuint framebuffer_ = 0, texture_ = 0, buffers_[2] = {0, 0};
    int width_, height_;
};

#endif
