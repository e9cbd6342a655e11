/* A thread that does one task after the other. It stays, because threads of the library belong to the one that made
 * them. */
#ifndef TAUT_VIEW_WORKER_H
#define TAUT_VIEW_WORKER_H

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

class Worker {
  public:
    Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker(); // after the task at hand

    void start(std::function<void()> task); // of an idle worker
    bool idle();
    void wait();

  private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> task_;
    bool ends_ = false;
    std::thread thread_; // the last member: it begins when all others are there
};

#endif
