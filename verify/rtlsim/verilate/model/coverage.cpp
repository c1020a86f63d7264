#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "verilated.h"

namespace coverage {
namespace {

// Counters of one model, in the order in which they were inserted.
struct Model {
    std::vector<const uint32_t *> counters;
    std::vector<size_t> points;
};

std::mutex lock;
std::map<const void *, Model> models;

// Points of all models, whatever their place in the hierarchy, and how often each
// was hit: the latter in a file, which is right also if the process is killed.
std::vector<Point> points;
std::map<std::tuple<std::string, int, int, std::string, std::string>, size_t> places;
uint64_t *hits;
size_t mapped;

void fail(const char *what) {
    std::perror(what);
    std::abort();
}

// Two files of this process and library: <name>.points and <name>.hits.
std::string name() {
    static std::string found;
    if (!found.empty()) return found;
    const char *directory = std::getenv("CCLFORGE_COVERAGE");
    if (!directory) fail("CCLFORGE_COVERAGE");
    for (int i = 0;; i++) {
        found = std::string(directory) + "/" + std::to_string(getpid()) + "-" + std::to_string(i);
        const int file = open((found + ".points").c_str(), O_CREAT | O_EXCL | O_WRONLY, 0666);
        if (file >= 0) {
            close(file);
            return found;
        }
        if (errno != EEXIST) fail(found.c_str());
    }
}

// Whoever reads while it runs finds either all of the points or those before.
void write_points() {
    if (mapped == points.size()) return;
    const std::string whole = name() + ".points", part = whole + ".part";
    FILE *file = std::fopen(part.c_str(), "w");
    if (!file) fail("points of coverage");
    for (const Point &p : points)
        std::fprintf(file, "%s\t%d\t%d\t%s\t%s\t%s\n", p.file.c_str(), p.line, p.column, p.page.c_str(), p.comment.c_str(), p.lines.c_str());
    if (std::fclose(file)) fail("points of coverage");

    const int counts = open((name() + ".hits").c_str(), O_CREAT | O_RDWR, 0666);
    if (counts < 0 || ftruncate(counts, points.size() * sizeof *hits)) fail("hits of coverage");
    if (std::rename(part.c_str(), whole.c_str())) fail("points of coverage");
    if (hits) munmap(hits, mapped * sizeof *hits);
    void *at = mmap(nullptr, points.size() * sizeof *hits, PROT_READ | PROT_WRITE, MAP_SHARED, counts, 0);
    if (at == MAP_FAILED) fail("hits of coverage");
    close(counts);
    hits = static_cast<uint64_t *>(at);
    mapped = points.size();
}

void end(const void *context) {
    std::lock_guard<std::mutex> guard(lock);
    const auto found = models.find(context);
    if (found == models.end()) return;
    write_points();
    const Model &model = found->second;
    for (size_t i = 0; i < model.counters.size(); i++) hits[model.points[i]] += *model.counters[i];
    models.erase(found);
}

} // namespace

void insert(const void *context, const uint32_t *counter, const Point &p) {
    std::lock_guard<std::mutex> guard(lock);
    const auto place = places.try_emplace({p.file, p.line, p.column, p.page, p.comment}, points.size());
    if (place.second) points.push_back(p);
    Model &model = models[context];
    model.counters.push_back(counter);
    model.points.push_back(place.first->second);
}

} // namespace coverage

// The destructor of what holds the counters, which are still there: the linker
// puts this one in its place.
extern "C" {
void __real__ZN13VerilatedSymsD2Ev(VerilatedSyms *symbols);
void __wrap__ZN13VerilatedSymsD2Ev(VerilatedSyms *symbols) {
    coverage::end(symbols->_vm_contextp__->coveragep());
    __real__ZN13VerilatedSymsD2Ev(symbols);
}
}
