// As much of gem5's interface as the tester uses, written anew for its tests: events, ports,
// requests and packets. Each header of gem5 that the tester includes stands for this one.

#ifndef TOY_GEM5_HH
#define TOY_GEM5_HH

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace gem5
{

using Tick = uint64_t;
using Addr = uint64_t;
using PortID = int16_t;
using RequestorID = uint16_t;
using ContextID = int;
constexpr PortID InvalidPortID = -1;

struct Cycles
{
    explicit Cycles(uint64_t n) : count(n) {}
    operator uint64_t() const { return count; }
    uint64_t count;
};

struct Event
{
    virtual ~Event() = default;
    virtual void process() = 0;
    bool scheduled() const { return on; }
    Tick when() const { return at; }
    bool on = false;
    Tick at = 0;
    uint64_t order = 0;
};

struct EventFunctionWrapper : Event
{
    EventFunctionWrapper(const std::function<void()> &f, const std::string &) : act(f) {}
    void process() override { act(); }
    std::function<void()> act;
};

// Queue has the events of a simulation; those of one tick come in the order of scheduling.
struct Queue
{
    std::map<std::pair<Tick, uint64_t>, Event *> events;
    Tick now = 0;
    uint64_t count = 0;
    std::string end; // why the simulation has ended

    void
    add(Event &e, Tick at)
    {
        if (e.on || at < now)
            abort();
        e.on = true;
        e.at = at;
        e.order = count++;
        events[{at, e.order}] = &e;
    }

    void
    remove(Event &e)
    {
        if (!e.on)
            abort();
        events.erase({e.at, e.order});
        e.on = false;
    }

    bool
    step()
    {
        if (events.empty())
            return false;
        Event *e = events.begin()->second;
        now = e->at;
        remove(*e);
        e->process();
        return true;
    }
};

inline Queue queue;
inline Tick curTick() { return queue.now; }

// once has a function called at a tick.
inline void
once(Tick at, std::function<void()> f)
{
    struct Once : Event
    {
        std::function<void()> act;
        void process() override { act(); delete this; }
    };
    auto *e = new Once;
    e->act = std::move(f);
    queue.add(*e, at);
}

inline void exitSimLoop(const std::string &cause, int) { queue.end = cause; }

template <class... Args>
std::string
csprintf(const char *format, const Args &...args)
{
    std::ostringstream out;
    out << format;
    ((out << " " << args), ...);
    return out.str();
}

#define panic(...) do { fprintf(stderr, "panic: %s\n", csprintf(__VA_ARGS__).c_str()); abort(); } while (0)
#define panic_if(c, ...) do { if (c) panic(__VA_ARGS__); } while (0)
#define fatal_if(c, ...) do { if (c) { fprintf(stderr, "fatal: %s\n", csprintf(__VA_ARGS__).c_str()); exit(2); } } while (0)

struct SimObject;
struct System
{
    RequestorID getRequestorId(SimObject *) { return 1; }
};

struct SimObjectParams
{
    std::string name;
};

struct SimObject
{
    explicit SimObject(const SimObjectParams &p) : called(p.name) {}
    virtual ~SimObject() = default;
    virtual void startup() {}
    const std::string &name() const { return called; }
    void schedule(Event &e, Tick at) { queue.add(e, at); }
    void deschedule(Event &e) { queue.remove(e); }
    void reschedule(Event &e, Tick at) { queue.remove(e); queue.add(e, at); }
    std::string called;
};

struct Port
{
    virtual ~Port() = default;
};

struct ClockedObject : SimObject
{
    using SimObject::SimObject;
    static constexpr Tick period = 500;
    Tick clockEdge(Cycles c) const { return (curTick() + period - 1) / period * period + c * period; }
    Cycles curCycle() const { return Cycles((curTick() + period - 1) / period); }
    Tick clockPeriod() const { return period; }
    virtual Port &getPort(const std::string &, PortID = InvalidPortID) { abort(); }
};

struct OrdealAgentParams : SimObjectParams
{
    System *system;
    unsigned number;
    bool device;
};

class OrdealAgent;
struct OrdealRunParams : SimObjectParams
{
    std::string image;
    std::vector<OrdealAgent *> cores, devices;
};

template <class T>
struct AtomicOpAdd
{
    explicit AtomicOpAdd(T v) : a(v) {}
    T a;
};

struct Request
{
    using FlagsType = uint64_t;
    enum : FlagsType { MEM_SWAP = 1, ATOMIC_RETURN_OP = 2, LOCKED_RMW = 4, LLSC = 8, INST_FETCH = 16, PREFETCH = 32, PF_EXCLUSIVE = 64 };
    Request(Addr a, unsigned n, FlagsType f, RequestorID) : addr(a), bytes(n), flags(f) {}
    void setContext(ContextID c) { context = c; }
    void setFlags(FlagsType f) { flags |= f; }
    void setAtomicOpFunctor(std::unique_ptr<AtomicOpAdd<uint64_t>> f) { adds = std::move(f); }
    void setExtraData(uint64_t v) { extra = v; }
    uint64_t getExtraData() const { return extra; }
    Addr addr;
    unsigned bytes;
    FlagsType flags;
    ContextID context = -1;
    uint64_t extra = 0;
    std::unique_ptr<AtomicOpAdd<uint64_t>> adds;
};

using RequestPtr = std::shared_ptr<Request>;

struct MemCmd
{
    enum Command { ReadReq, WriteReq, SwapReq, LockedRMWReadReq, LockedRMWWriteReq, LoadLockedReq, StoreCondReq, FlushReq, SoftPFReq, SoftPFExReq, InvalidateReq };
    MemCmd(Command c) : value(c) {}
    operator Command() const { return value; }
    Command value;
};

struct Packet
{
    struct SenderState
    {
        virtual ~SenderState() = default;
        SenderState *predecessor = nullptr;
    };

    Packet(const RequestPtr &r, MemCmd c) : req(r), cmd(c) { alive++; }
    ~Packet() { alive--; }
    void allocate() { own.resize(req->bytes); data = own.data(); }
    template <class T> void dataStatic(T *p) { data = reinterpret_cast<uint8_t *>(p); }
    template <class T> T *getPtr() { return data; }
    template <class T> const T *getConstPtr() const { return data; }
    void setSuppressFuncError() {}
    bool isError() const { return error; }
    bool isInvalidate() const { return cmd == MemCmd::InvalidateReq; }
    Addr getAddr() const { return req->addr; }

    void
    pushSenderState(SenderState *s)
    {
        s->predecessor = senderState;
        senderState = s;
    }

    SenderState *
    popSenderState()
    {
        SenderState *s = senderState;
        senderState = s->predecessor;
        return s;
    }

    RequestPtr req;
    MemCmd cmd;
    SenderState *senderState = nullptr;
    uint8_t *data = nullptr;
    std::vector<uint8_t> own;
    bool error = false;
    static inline int alive = 0; // packets that were made and not deleted
};

using PacketPtr = Packet *;

class RequestPort;

// Responder is the other end of a port.
struct Responder
{
    virtual ~Responder() = default;
    virtual bool recvTimingReq(RequestPort &from, PacketPtr pkt) = 0;
    virtual void recvFunctional(PacketPtr pkt) = 0;
};

class RequestPort : public Port
{
  public:
    explicit RequestPort(const std::string &) {}
    virtual bool isSnooping() const { return false; }
    bool sendTimingReq(PacketPtr pkt) { return peer->recvTimingReq(*this, pkt); }
    void sendFunctional(PacketPtr pkt) { peer->recvFunctional(pkt); }

    // Deliver, retry and snoop are what the other end calls.
    void deliver(PacketPtr pkt) { recvTimingResp(pkt); }
    void retry() { recvReqRetry(); }
    void snoop(PacketPtr pkt) { recvTimingSnoopReq(pkt); }

    Responder *peer = nullptr;

  protected:
    virtual bool recvTimingResp(PacketPtr pkt) = 0;
    virtual void recvReqRetry() = 0;
    virtual void recvTimingSnoopReq(PacketPtr) {}
    virtual void recvFunctionalSnoop(PacketPtr) {}
    virtual Tick recvAtomicSnoop(PacketPtr) { return 0; }
};

} // namespace gem5

#endif
