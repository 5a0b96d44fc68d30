// The cores, devices and instruction fetches of the tester: the models of Ordeal's embedded
// simulator (sim/builtin/core, sim/builtin/agent), so that what they find compares. A model
// runs a thread of a program through a lane to memory. Times are in cycles.

#ifndef ORDEAL_MODELS_HH
#define ORDEAL_MODELS_HH

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "program.hh"

namespace ordeal
{

constexpr uint64_t WordBytes = 8, LineBytes = 64;

inline uint64_t lineOf(uint64_t addr) { return addr & ~(LineBytes - 1); }

// Random is splitmix64.
class Random
{
  public:
    explicit Random(uint64_t seed) : state(seed) {}

    uint64_t
    next()
    {
        uint64_t z = state += 0x9e3779b97f4a7c15ULL;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
        return z ^ z >> 31;
    }

    uint64_t below(uint64_t n) { return next() % n; }

  private:
    uint64_t state;
};

enum class Command
{
    Read, Write, Swap, Add, LockedRead, LockedWrite, LinkedRead, ConditionalWrite, Fetch
};

inline bool
writes(Command c)
{
    return c != Command::Read && c != Command::LockedRead && c != Command::LinkedRead && c != Command::Fetch;
}

// Access is what a model asks of memory: bytes of one line, that of a core always one word.
struct Access
{
    Command command;
    uint64_t addr;
    unsigned bytes;
    uint64_t tag;
    uint64_t data[LineBytes / WordBytes]; // what is written or added
};

// Lane is a way to memory, and the clock of what uses it.
class Lane
{
  public:
    virtual ~Lane() = default;
    // send starts an access; false: memory takes it later, and then has the model step.
    virtual bool send(const Access &a) = 0;
    virtual uint64_t now() const = 0;
    // wake has the model step at a cycle, which is after this one at least, or earlier: a
    // step asks again for what is still to come.
    virtual void wake(uint64_t at) = 0;
};

struct Op
{
    Kind kind = Kind::Delay;
    uint64_t addr = 0;
    uint64_t value = 0;

    bool isRmw() const { return kind == Kind::Exchange || kind == Kind::Add; }
    bool reads() const { return kind == Kind::Load || isRmw(); }
    bool writes() const { return kind == Kind::Store || isRmw(); }
};

// Thread is the code of a thread, and the log of what its reads have returned.
class Thread
{
  public:
    Thread(Image &image, size_t k, size_t t, uint64_t seed)
        : code(image.at(image.thread(k, t)[CodeAt])), addresses(image.addresses(k)), log(image.at(image.thread(k, t)[LogAt])),
          read(image.thread(k, t) + ReadAt), length(image.thread(k, t)[OperationsAt]), rounds(image[RoundsAt]),
          stride(image.program(k)[StrideAt]), stagger(image[StaggerAt]), random(seed)
    {}

    // A thread that reads all locations of a program once, for their final values.
    Thread(Image &image, size_t k)
        : code(nullptr), addresses(image.addresses(k)), log(image.at(image.program(k)[FinalAt])),
          read(image.program(k) + FinalReadAt), length(image.program(k)[LocationsAt]), rounds(1), stride(0), stagger(0), random(0)
    {}

    bool exhausted() const { return length == 0 || round == rounds; }

    Op
    fetch()
    {
        if (stagger > 0 && next == 0 && !staggered) {
            staggered = true;
            Op delay;
            delay.value = random.below(stagger + 1);
            return delay;
        }
        Op op;
        if (code) {
            uint64_t word = code[2 * next];
            op.kind = Kind(word & 0xff);
            op.value = code[2 * next + 1];
            if (op.kind < Kind::Fence)
                op.addr = addresses[word >> 8];
            if (op.kind == Kind::Store || op.kind == Kind::Exchange)
                op.value += round * stride;
        } else {
            op.kind = Kind::Load;
            op.addr = addresses[next];
        }
        if (++next == length) {
            next = 0;
            round++;
            staggered = false;
        }
        return op;
    }

    void finish(uint64_t value) { log[(*read)++] = value; }

    // operations counts those that were completed, for whoever watches the progress.
    uint64_t operations = 0;

  private:
    const uint64_t *code, *addresses;
    uint64_t *log, *read;
    uint64_t length, rounds, stride, stagger, next = 0, round = 0;
    bool staggered = false;
    Random random;
};

struct Counts
{
    uint64_t squashed = 0, failed = 0;
};

// Runner runs a thread.
class Runner
{
  public:
    Runner(Lane &l, Thread t) : lane(l), thread(std::move(t)) {}
    virtual ~Runner() = default;
    virtual void step() = 0;
    // done ends an access: with what the line of a read held; failed one whose
    // conditional write did not happen.
    virtual void done(uint64_t tag, const uint64_t *data) = 0;
    virtual void failed(uint64_t) {}
    virtual void evict(uint64_t) {}
    virtual bool ended() const = 0;

    uint64_t operations() const { return thread.operations; }

    Counts counts;

  protected:
    void wakeNext() { lane.wake(lane.now() + 1); }

    Lane &lane;
    Thread thread;
};

// An operation of four is up to 16 cycles late: its address is known, or it may leave the
// store buffer, so much later. This reorders accesses of equal latency.
constexpr uint64_t LateOf = 4, LateCycles = 16;

// Before a conditional store that has failed is tried again, a core waits for longer after
// each failure and at random, or two cores would take the line from each other for ever.
constexpr uint64_t FirstRetry = 8, MostRetry = 9;

struct Setting
{
    Model model;
    uint64_t window, buffer;
    Rmw rmw;
    uint64_t seed;
};

// Core is what all cores have: a FIFO store buffer, of which one store at a time is under way,
// and read-modify-writes in one access or as a pair.
class Core : public Runner
{
  public:
    Core(Lane &l, Thread t, const Setting &s) : Runner(l, std::move(t)), setting(s), random(s.seed) {}

  protected:
    struct Buffered
    {
        Op op;
        uint64_t ready;
        bool issued;
    };

    static constexpr uint64_t BufferTag = ~0ULL;

    uint64_t
    late()
    {
        uint64_t u = random.next();
        return u % LateOf ? lane.now() : lane.now() + 1 + u / LateOf % LateCycles;
    }

    const Op *
    youngestBuffered(uint64_t addr) const
    {
        for (auto b = buffer.rbegin(); b != buffer.rend(); ++b)
            if (b->op.addr == addr)
                return &b->op;
        return nullptr;
    }

    // drain has the oldest store leave.
    void
    drain()
    {
        refused = false;
        if (buffer.empty() || buffer.front().issued)
            return;
        Buffered &b = buffer.front();
        if (b.ready > lane.now())
            return lane.wake(b.ready);
        b.issued = start(b.op, BufferTag, false);
        refused = !b.issued;
    }

    void
    drained()
    {
        buffer.pop_front();
        wakeNext();
    }

    // start starts the access of an operation, or the second of a pair, which writes op.value.
    bool
    start(const Op &op, uint64_t tag, bool second)
    {
        Access a = {};
        a.addr = op.addr;
        a.bytes = WordBytes;
        a.tag = tag;
        a.data[0] = op.value;
        if (second)
            a.command = setting.rmw == Rmw::Locked ? Command::LockedWrite : Command::ConditionalWrite;
        else if (op.kind == Kind::Load)
            a.command = Command::Read;
        else if (op.kind == Kind::Store)
            a.command = Command::Write;
        else if (setting.rmw == Rmw::OneAccess)
            a.command = op.kind == Kind::Add ? Command::Add : Command::Swap;
        else
            a.command = setting.rmw == Rmw::Locked ? Command::LockedRead : Command::LinkedRead;
        return lane.send(a);
    }

    // Pair is a read-modify-write that is performed as a pair.
    struct Pair
    {
        bool split = false; // the read has returned old
        uint64_t old = 0, failures = 0;

        Op
        second(const Op &op) const
        {
            Op w = op;
            if (op.kind == Kind::Add)
                w.value += old;
            return w;
        }
    };

    bool startRmw(const Op &op, const Pair &p, uint64_t tag) { return p.split ? start(p.second(op), tag, true) : start(op, tag, false); }

    // retryAt is when to start a pair again whose conditional store has failed.
    uint64_t
    retryAt(Pair &p)
    {
        counts.failed++;
        p.split = false;
        return lane.now() + 1 + random.below(FirstRetry << std::min(p.failures++, MostRetry));
    }

    Setting setting;
    Random random;
    std::deque<Buffered> buffer;
    bool refused = false; // the store that was to leave last
};

// Blocking performs loads and read-modify-writes in program order, one at a time: without a
// buffer SC, with one TSO.
class Blocking : public Core
{
  public:
    using Core::Core;

    void
    step() override
    {
        if (state != Waiting)
            proceed();
        drain();
    }

    void
    done(uint64_t tag, const uint64_t *data) override
    {
        wakeNext();
        if (tag == BufferTag)
            return drained();
        if (op.isRmw() && setting.rmw != Rmw::OneAccess && !pair.split) {
            pair.split = true;
            pair.old = *data;
            state = Starting;
            return;
        }
        if (op.reads())
            thread.finish(pair.split ? pair.old : *data);
        retire();
    }

    void
    failed(uint64_t) override
    {
        busy = retryAt(pair);
        state = Starting;
        lane.wake(busy);
    }

    bool ended() const override { return state == Fetching && thread.exhausted() && buffer.empty() && lane.now() >= busy; }

  private:
    void
    retire()
    {
        thread.operations++;
        pair = Pair();
        state = Fetching;
        wakeNext();
    }

    // proceed starts at most one operation.
    void
    proceed()
    {
        if (lane.now() < busy)
            return lane.wake(busy);
        if (state == Fetching) {
            if (thread.exhausted())
                return;
            op = thread.fetch();
            state = Starting;
        }
        bool empty = buffer.empty();
        const Op *from;
        switch (op.kind) {
          case Kind::Delay:
            busy = lane.now() + op.value;
            retire();
            return;
          case Kind::Fence:
            if (empty)
                retire();
            return;
          case Kind::Load:
            from = youngestBuffered(op.addr);
            if (from) {
                thread.finish(from->value);
                return retire();
            }
            break;
          case Kind::Store:
            if (setting.model == Model::Tso) {
                if (buffer.size() < setting.buffer) {
                    buffer.push_back({op, late(), false});
                    retire();
                }
                return;
            }
            break;
          default:
            if (!empty)
                return;
        }
        if (op.isRmw() ? startRmw(op, pair, 0) : start(op, 0, false))
            state = Waiting;
    }

    enum State { Fetching, Starting, Waiting } state = Fetching;
    Op op;
    Pair pair;
    uint64_t busy = 0;
};

// Speculative is gem5's O3 with needsTSO as far as memory sees it: loads are issued in any
// order and retire in order. A load whose line is lost before it retires starts again when it
// is the oldest operation, with all later ones, unless it is the oldest load
// (LSQUnit::checkSnoop, v24.0.0.1 src/cpu/o3/lsq_unit.cc:427). This counts for loads under way
// as well: the data are copied before the notice of a loss and delivered by an event after it.
class Speculative : public Core
{
  public:
    using Core::Core;

    void
    step() override
    {
        retire();
        if (refused)
            drain(); // before all loads, as gem5's LSQUnit::recvRetry
        fetch();
        issue();
        drain();
        if (lane.now() < busy)
            lane.wake(busy);
    }

    void
    done(uint64_t tag, const uint64_t *data) override
    {
        wakeNext();
        if (tag == BufferTag)
            return drained();
        Slot *s = tagged(tag);
        if (!s)
            return; // it was squashed meanwhile
        if (s->op.isRmw() && setting.rmw != Rmw::OneAccess && !s->pair.split) {
            s->pair.split = true;
            s->pair.old = *data;
            s->state = Unissued;
            return;
        }
        s->value = s->pair.split ? s->pair.old : *data;
        s->state = Performed;
    }

    void
    failed(uint64_t tag) override
    {
        Slot *s = tagged(tag);
        s->ready = retryAt(s->pair);
        s->state = Unissued;
        lane.wake(s->ready);
    }

    void
    evict(uint64_t line) override
    {
        bool oldest = true;
        for (Slot &s : window) {
            if (s.op.kind != Kind::Load)
                continue;
            if (!oldest && s.state != Unissued && lineOf(s.op.addr) == line) {
                s.again = true;
                return;
            }
            oldest = false;
        }
    }

    bool ended() const override { return thread.exhausted() && window.empty() && buffer.empty() && lane.now() >= busy; }

  private:
    static constexpr int Width = 4; // operations fetched, issued and retired in one cycle, each

    enum State { Unissued, Issued, Performed };

    struct Slot
    {
        Op op;
        uint64_t ready = 0; // when the address is known
        State state = Unissued;
        bool again = false; // it has lost its line
        uint64_t tag = 0;   // of the access under way
        uint64_t value = 0;
        Pair pair;

        bool isBarrier() const { return op.kind == Kind::Fence || op.isRmw(); }
    };

    Slot *
    tagged(uint64_t tag)
    {
        for (Slot &s : window)
            if (s.state == Issued && s.tag == tag)
                return &s;
        return nullptr;
    }

    void
    retire()
    {
        for (int n = 0; n < Width && !window.empty(); n++) {
            Slot &s = window.front();
            if (s.state != Performed && !mayRetire(s))
                return;
            if (s.again)
                return squash();
            if (s.op.reads())
                thread.finish(s.value);
            thread.operations++;
            window.pop_front();
            wakeNext();
        }
    }

    bool
    mayRetire(Slot &s)
    {
        switch (s.op.kind) {
          case Kind::Fence:
            return buffer.empty();
          case Kind::Store:
            if (buffer.size() >= setting.buffer)
                return false;
            buffer.push_back({s.op, late(), false});
            return true;
          case Kind::Load:
            return false;
          default:
            if (s.state != Unissued || !buffer.empty())
                return false;
            if (s.pair.failures > 0 && s.ready > lane.now())
                lane.wake(s.ready);
            else if (startRmw(s.op, s.pair, ++tags)) {
                s.state = Issued;
                s.tag = tags;
            }
            return false;
        }
    }

    // squash has all loads start again.
    void
    squash()
    {
        for (Slot &s : window) {
            if (s.op.kind == Kind::Load && s.state != Unissued) {
                s.state = Unissued;
                s.again = false;
                counts.squashed++;
            }
        }
        wakeNext();
    }

    void
    fetch()
    {
        for (int n = 0; !thread.exhausted() && window.size() < setting.window; n++) {
            if (n == Width)
                return wakeNext();
            if (lane.now() < busy)
                return;
            Op op = thread.fetch();
            if (op.kind == Kind::Delay) {
                busy = lane.now() + op.value;
                thread.operations++;
                continue;
            }
            window.emplace_back();
            window.back().op = op;
            window.back().ready = late();
            wakeNext();
        }
    }

    void
    issue()
    {
        int left = Width;
        for (size_t i = 0; i < window.size(); i++) {
            Slot &s = window[i];
            if (s.isBarrier())
                return;
            if (s.op.kind != Kind::Load || s.state != Unissued)
                continue;
            if (s.ready > lane.now()) {
                lane.wake(s.ready);
                continue;
            }
            if (left-- == 0)
                return wakeNext();
            if (const Op *from = store(i)) {
                s.value = from->value;
                s.state = Performed;
                wakeNext();
            } else if (start(s.op, ++tags, false)) {
                s.state = Issued;
                s.tag = tags;
            } else {
                return;
            }
        }
    }

    // store is that of the core's own that the load in a slot reads from, if there is one.
    const Op *
    store(size_t i) const
    {
        uint64_t addr = window[i].op.addr;
        while (i-- > 0)
            if (window[i].op.kind == Kind::Store && window[i].op.addr == addr)
                return &window[i].op;
        return youngestBuffered(addr);
    }

    std::deque<Slot> window;
    uint64_t tags = 0, busy = 0;
};

// Fetcher is the instruction fetch of a core: loads of one location, one at a time.
class Fetcher : public Runner
{
  public:
    using Runner::Runner;

    void
    step() override
    {
        if (waiting || lane.now() < busy)
            return waiting ? void() : lane.wake(busy);
        if (!started) {
            if (thread.exhausted())
                return;
            op = thread.fetch();
            started = op.kind != Kind::Delay;
            if (!started) {
                thread.operations++;
                busy = lane.now() + op.value;
                return lane.wake(busy);
            }
        }
        Access a = {Command::Fetch, op.addr, WordBytes, 0, {}};
        waiting = lane.send(a);
    }

    void
    done(uint64_t, const uint64_t *data) override
    {
        thread.finish(*data);
        thread.operations++;
        waiting = started = false;
        wakeNext();
    }

    bool ended() const override { return !started && thread.exhausted() && lane.now() >= busy; }

  private:
    Op op;
    bool started = false, waiting = false;
    uint64_t busy = 0;
};

// Device loads and stores without a core, one transfer at a time. Consecutive loads, or stores,
// of locations of one line in the order of their addresses are one transfer if no location lies
// between them. One of all locations of a line is of the whole line.
class Device : public Runner
{
  public:
    Device(Lane &l, Thread t, const uint64_t *addresses, size_t n) : Runner(l, std::move(t)), used(addresses, addresses + n)
    {
        std::sort(used.begin(), used.end());
    }

    void
    step() override
    {
        if (waiting || lane.now() < busy)
            return waiting ? void() : lane.wake(busy);
        if (transfer.empty()) {
            if (!look())
                return;
            if (ahead.kind == Kind::Delay) {
                pending = false;
                thread.operations++;
                busy = lane.now() + ahead.value;
                return lane.wake(busy);
            }
            gather();
        }
        waiting = lane.send(request());
    }

    void
    done(uint64_t, const uint64_t *data) override
    {
        uint64_t from = request().addr;
        for (const Op &op : transfer) {
            if (op.kind == Kind::Load)
                thread.finish(data[(op.addr - from) / WordBytes]);
            thread.operations++;
        }
        transfer.clear();
        waiting = false;
        wakeNext();
    }

    bool ended() const override { return transfer.empty() && !pending && thread.exhausted() && lane.now() >= busy; }

  private:
    // look makes sure of the operation ahead; false at the end of the thread.
    bool
    look()
    {
        if (!pending && !thread.exhausted()) {
            ahead = thread.fetch();
            pending = true;
        }
        return pending;
    }

    bool
    free(uint64_t from, uint64_t to) const
    {
        auto at = std::lower_bound(used.begin(), used.end(), from);
        return at == used.end() || *at >= to;
    }

    void
    gather()
    {
        do {
            transfer.push_back(ahead);
            pending = false;
        } while (look() && ahead.kind == transfer.back().kind && ahead.addr >= transfer.back().addr + WordBytes &&
                 lineOf(ahead.addr) == lineOf(transfer.back().addr) && free(transfer.back().addr + WordBytes, ahead.addr));
    }

    Access
    request() const
    {
        uint64_t first = transfer.front().addr, end = transfer.back().addr + WordBytes, line = lineOf(first);
        if (free(line, first) && free(end, line + LineBytes)) {
            first = line;
            end = line + LineBytes;
        }
        Access a = {transfer.front().kind == Kind::Store ? Command::Write : Command::Read, first, unsigned(end - first), 0, {}};
        for (const Op &op : transfer)
            a.data[(op.addr - first) / WordBytes] = op.value;
        return a;
    }

    std::vector<uint64_t> used;
    std::vector<Op> transfer; // under way, or refused
    Op ahead;
    bool pending = false, waiting = false;
    uint64_t busy = 0;
};

inline std::unique_ptr<Runner>
makeCore(Lane &l, Thread t, const Setting &s)
{
    if (s.model == Model::Ooo)
        return std::make_unique<Speculative>(l, std::move(t), s);
    return std::make_unique<Blocking>(l, std::move(t), s);
}

// Truth knows what each word may hold, as far as the cores' own accesses tell, for functional
// reads: the last write that ended, or one that is under way.
class Truth
{
  public:
    void
    started(uint64_t addr, uint64_t value, bool add)
    {
        Cell &c = cell(addr);
        if (add)
            c.adds++;
        else
            c.under.push_back(value);
    }

    // ended ends a write, which left a value.
    void
    ended(uint64_t addr, uint64_t value, bool add, bool wrote)
    {
        Cell &c = cell(addr);
        if (add)
            c.adds--;
        else
            c.under.erase(std::find(c.under.begin(), c.under.end(), value));
        if (wrote)
            c.last = value;
    }

    // ignore leaves out a word that is written at instants which are not known.
    void ignore(uint64_t addr) { cell(addr).unknown = true; }
    void clear() { cells.clear(); }
    uint64_t last(uint64_t addr) { return cell(addr).last; }

    bool
    possible(uint64_t addr, uint64_t value)
    {
        Cell &c = cell(addr);
        return c.unknown || c.adds > 0 || c.last == value || std::find(c.under.begin(), c.under.end(), value) != c.under.end();
    }

  private:
    struct Cell
    {
        uint64_t addr, last = 0;
        int adds = 0;
        bool unknown = false;
        std::vector<uint64_t> under;
    };

    Cell &
    cell(uint64_t addr)
    {
        auto at = std::lower_bound(cells.begin(), cells.end(), addr, [](const Cell &c, uint64_t a) { return c.addr < a; });
        if (at == cells.end() || at->addr != addr) {
            at = cells.insert(at, Cell());
            at->addr = addr;
        }
        return *at;
    }

    std::vector<Cell> cells; // by address
};

} // namespace ordeal

#endif
