// The file that a launch of the tester maps: the programs to run, and the log of what they
// read. It is written by Ordeal (sim/gem5/agent) and consists of little-endian 64-bit words.
// As it is mapped and shared, a crash of the simulator loses nothing of the log.
// This file and models.hh need no header of gem5.

#ifndef ORDEAL_PROGRAM_HH
#define ORDEAL_PROGRAM_HH

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ordeal
{

constexpr uint64_t Magic = 0x31544e454741524fULL; // "ORAGENT1"

// The words of the header. Those from State on are written by the tester.
enum Word : size_t
{
    MagicAt, ProgramsAt, RoundsAt, SeedAt,
    ModelAt, WindowAt, BufferAt, RmwAt, // of the cores
    FlushAt, PrefetchAt, FunctionalAt,  // cycles between two, on average; 0: none
    StaggerAt,                          // most cycles of a delay before each round; 0: none
    StateAt,                            // 0, then 1 while it runs, 2 at the end
    CurrentAt,                          // the program that runs: those before it are complete
    SquashedAt, FailedAt, RefusedAt, FlushesAt, PrefetchesAt, FunctionalsAt, MissesAt,
    HeaderWords = 24
};

// The words of a program, which the header is followed by: the offsets of ProgramsAt programs.
enum ProgramWord : size_t
{
    ThreadsAt, LocationsAt, StrideAt,
    FinalAt,     // the offset of the final values
    FinalReadAt, // how many there are
    ProgramWords
};

// The words of a thread. A program is followed by its threads, and they by the addresses of
// its locations.
enum ThreadWord : size_t
{
    AgentAt,  // 0 a core, 1 a device, 2 the fetch of a core
    NumberAt, // of the core, or of the device
    CodeAt, OperationsAt,
    LogAt,  // the offset of the values that its reads returned
    ReadAt, // how many there are
    ThreadWords
};

enum class Agent : uint64_t { Core, Device, Fetch };

// An operation is two words: the kind in the lowest eight bits of the first with the location
// above, and a value: what is stored, in round 0, or added, or the cycles of a delay.
enum class Kind : uint8_t { Load = 1, Store, Exchange, Add, Fence, Delay };

enum class Model : uint64_t { InOrder, Tso, Ooo };

enum class Rmw : uint64_t { OneAccess, Locked, Linked };

class Image
{
  public:
    // open maps a file; the text says why it cannot.
    std::string
    open(const std::string &path)
    {
        int file = ::open(path.c_str(), O_RDWR);
        struct stat about;
        if (file < 0 || fstat(file, &about) != 0)
            return "cannot open " + path;
        size = about.st_size / sizeof(uint64_t);
        void *at = mmap(nullptr, about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        if (at == MAP_FAILED)
            return "cannot map " + path;
        words = static_cast<uint64_t *>(at);
        if (size < HeaderWords || words[MagicAt] != Magic)
            return path + " is not of this version of the tester";
        return check() ? "" : path + " is not whole";
    }

    // use takes words that are in memory already.
    void use(uint64_t *w, size_t n) { words = w; size = n; }

    uint64_t &operator[](size_t i) { return words[i]; }
    uint64_t programs() const { return words[ProgramsAt]; }
    uint64_t *program(size_t k) { return words + words[HeaderWords + k]; }
    uint64_t *thread(size_t k, size_t t) { return program(k) + ProgramWords + ThreadWords * t; }
    const uint64_t *addresses(size_t k) { return thread(k, program(k)[ThreadsAt]); }
    uint64_t *at(size_t offset) { return words + offset; }

  private:
    // check reports whether all that the header and the programs name lies in the file.
    bool
    check()
    {
        auto fits = [this](uint64_t at, uint64_t n) { return at <= size && n <= size - at; };
        if (words[ModelAt] > 2 || words[RmwAt] > 2 || !fits(HeaderWords, programs()))
            return false;
        for (size_t k = 0; k < programs(); k++) {
            uint64_t offset = words[HeaderWords + k];
            if (!fits(offset, ProgramWords))
                return false;
            uint64_t *p = program(k);
            if (p[ThreadsAt] > 64 || !fits(offset + ProgramWords, p[ThreadsAt] * ThreadWords) || p[LocationsAt] > size ||
                !fits(offset + ProgramWords + p[ThreadsAt] * ThreadWords, p[LocationsAt]) || !fits(p[FinalAt], p[LocationsAt]))
                return false;
            for (size_t t = 0; t < p[ThreadsAt]; t++) {
                uint64_t *h = thread(k, t);
                if (h[AgentAt] > 2 || h[OperationsAt] > size || !fits(h[CodeAt], 2 * h[OperationsAt]))
                    return false;
                uint64_t reads = 0;
                for (uint64_t i = 0; i < h[OperationsAt]; i++) {
                    uint64_t op = words[h[CodeAt] + 2 * i], kind = op & 0xff;
                    if (kind < 1 || kind > 6 || (kind < 5 && op >> 8 >= p[LocationsAt]))
                        return false;
                    reads += kind == 1 || kind == 3 || kind == 4;
                }
                if (words[RoundsAt] > size || reads > size || !fits(h[LogAt], reads * words[RoundsAt]))
                    return false;
            }
        }
        return true;
    }

    uint64_t *words = nullptr;
    size_t size = 0;
};

} // namespace ordeal

#endif
