#include "worker.h"

Worker::Worker() : thread_([this] { run(); }) {}

Worker::~Worker() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Worker::run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return task_ || ends_; });
        if (!task_) {
            return;
        }
        lock.unlock();
        task_();
        lock.lock();
        task_ = nullptr;
        changed_.notify_all();
    }
}

void Worker::start(std::function<void()> task) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        task_ = std::move(task);
    }
    changed_.notify_all();
}

bool Worker::idle() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !task_;
}

void Worker::wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !task_; });
}
