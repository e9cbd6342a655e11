// The tool on CUDA beside the tool on the CPU.
#include "folder.h"
#include "process.h"
#include "read_stats.h"

#include <taut/taut.h>

using namespace app;

namespace {

class Backends : public Folder {
  protected:
    // Paths of a sheet's free corner and of a rope's end, six coordinates a frame behind the time.
    Table run(const std::string& backend) {
        const std::string text = scene(std::string(small_sheet) + "," + short_rope,
                                       R"({"type": "pin", "at": {"object": "sheet", "vertices": [0, 2]}},
                                          {"type": "attach", "a": ["sheet", 8], "b": ["rope", 0]})",
                                       R"("solver": {"tolerance": 1e-8}, "substeps": 2, )");
        const std::string trace = path(backend + ".csv"), stats = path(backend + ".jsonl");
        const Result result = taut({"run", write("scene.json", text), "--backend", backend, "--frames", "5", "--trace",
                                    "sheet:8,rope:4=" + trace, "--stats", stats});
        EXPECT_EQ(result.code, 0) << result.err;
        const std::vector<Record> frames = read_stats(read(backend + ".jsonl"));
        EXPECT_FALSE(frames.empty());
        EXPECT_EQ(frames.at(0).strings.at("backend"), backend);
        return read_table(read(backend + ".csv"));
    }
};

// The solver leaves 1e-8; ten substeps lift that by the stiffness of the rope.
TEST_F(Backends, cuda_moves_like_cpu) {
    if (taut_backend_available(TAUT_BACKEND_CUDA) != TAUT_OK) {
        GTEST_SKIP() << taut_last_error();
    }
    const Table cpu = run("cpu"), cuda = run("cuda");
    EXPECT_EQ(cuda.header, cpu.header);
    ASSERT_EQ(cuda.rows.size(), cpu.rows.size());
    ASSERT_EQ(cpu.rows.size(), 6u);
    for (size_t i = 0; i < cpu.rows.size(); i++) {
        ASSERT_EQ(cuda.rows[i].size(), cpu.rows[i].size());
        for (size_t k = 0; k < cpu.rows[i].size(); k++) {
            EXPECT_NEAR(cuda.rows[i][k], cpu.rows[i][k], 1e-7) << "frame " << i << ", column " << k;
        }
    }
    EXPECT_GT(std::abs(cpu.rows[5][2] - cpu.rows[0][2]), 1e-3); // something moved
}

} // namespace
