// Runs the tester on a toy of gem5 (gem5.hh) whose sequencers take, refuse, retry and answer
// accesses as gem5's do, in front of one memory that takes lines from cores.
//
//   ruby IMAGE SEED CORES DEVICES [never-lose] [early-prefetches] [old-values]
//
// never-lose has no core notified of a line that it loses. early-prefetches answers prefetches at
// once, and their completions serve no retry, as v25.1 does (src/mem/ruby/system/Sequencer.cc:746;
// PR 3081). old-values has functional reads find what a word held before its last write.

#include <iostream>
#include <set>

#include "ordeal/agent.cc"
#include "ordeal/run.cc"

namespace gem5
{

models::Random draw(0);
bool neverLose, earlyPrefetches, oldValues;

struct Sequencer;

struct Memory
{
    std::map<Addr, uint64_t> words, before;
    std::map<Addr, Sequencer *> locks; // of lines
    std::vector<Sequencer *> sequencers;
} memory;

// Sequencer is gem5's of a core or of a device.
struct Sequencer : Responder
{
    bool device = false;
    std::vector<RequestPort *> ports, waiting;
    unsigned outstanding = 0;
    std::set<Addr> lines; // that the core holds
    Addr monitor = ~0ULL;

    void
    bind(Port &p)
    {
        auto &port = dynamic_cast<RequestPort &>(p);
        port.peer = this;
        ports.push_back(&port);
    }

    bool
    recvTimingReq(RequestPort &from, PacketPtr pkt) override
    {
        bool prefetch = pkt->cmd == MemCmd::SoftPFReq || pkt->cmd == MemCmd::SoftPFExReq;
        auto lock = memory.locks.find(models::lineOf(pkt->getAddr()));
        bool aliased = lock != memory.locks.end() && lock->second == this && pkt->cmd != MemCmd::LockedRMWWriteReq;
        if (outstanding == 16 || aliased) {
            if (std::find(waiting.begin(), waiting.end(), &from) == waiting.end())
                waiting.push_back(&from);
            return false;
        }
        outstanding++;
        if (prefetch && earlyPrefetches) {
            once(curTick(), [=, &from] { from.deliver(pkt); });
            once(curTick() + 20000, [this] { outstanding--; });
            return true;
        }
        once(curTick() + 1000 + draw.below(40) * 500, [=, &from] { perform(from, pkt); });
        return true;
    }

    void
    lose(Addr line)
    {
        lines.erase(line);
        if (monitor == line)
            monitor = ~0ULL;
        if (neverLose)
            return;
        Packet snoop(std::make_shared<Request>(line, unsigned(LineBytes), 0, 0), MemCmd::InvalidateReq);
        for (RequestPort *p : ports)
            if (p->isSnooping())
                p->snoop(&snoop);
    }

    void
    perform(RequestPort &from, PacketPtr pkt)
    {
        Addr line = models::lineOf(pkt->getAddr());
        auto lock = memory.locks.find(line);
        if (lock != memory.locks.end() && lock->second != this) {
            once(curTick() + 1500, [=, &from] { perform(from, pkt); });
            return;
        }
        MemCmd::Command c = pkt->cmd;
        bool conditional = c == MemCmd::StoreCondReq, succeeds = !conditional || monitor == line;
        bool writes = c == MemCmd::WriteReq || c == MemCmd::SwapReq || c == MemCmd::LockedRMWWriteReq || conditional;
        if ((writes && succeeds) || c == MemCmd::LockedRMWReadReq || c == MemCmd::SoftPFExReq || c == MemCmd::FlushReq)
            for (Sequencer *s : memory.sequencers)
                if (s != this && s->lines.count(line))
                    s->lose(line);
        if (c == MemCmd::LockedRMWReadReq)
            memory.locks[line] = this;
        if (c == MemCmd::LockedRMWWriteReq)
            memory.locks.erase(line);
        if (c == MemCmd::LoadLockedReq)
            monitor = line;
        if (conditional)
            pkt->req->setExtraData(succeeds);
        for (unsigned i = 0; pkt->data && i < pkt->req->bytes / 8; i++) {
            uint64_t &w = memory.words[pkt->getAddr() + 8 * i], old = w, given;
            memcpy(&given, pkt->data + 8 * i, 8);
            if (writes && succeeds) {
                memory.before[pkt->getAddr() + 8 * i] = old;
                w = pkt->req->adds ? old + pkt->req->adds->a : given;
            }
            if (!writes || c == MemCmd::SwapReq)
                memcpy(pkt->data + 8 * i, &old, 8);
        }
        if (!device) {
            lines.insert(line);
            if (draw.below(8) == 0)
                lose(*std::next(lines.begin(), draw.below(lines.size())));
        }
        outstanding--;
        if (c == MemCmd::FlushReq)
            delete pkt; // it has no response
        else
            once(curTick(), [=, &from] { from.deliver(pkt); });
        std::vector<RequestPort *> list;
        list.swap(waiting);
        for (RequestPort *p : list)
            p->retry(); // inside of the completion
    }

    void
    recvFunctional(PacketPtr pkt) override
    {
        if (draw.below(20) == 0) {
            pkt->error = true;
            return;
        }
        auto &from = oldValues ? memory.before : memory.words;
        for (unsigned i = 0; i < LineBytes / 8; i++)
            memcpy(pkt->data + 8 * i, &from[pkt->getAddr() + 8 * i], 8);
    }
};

} // namespace gem5

int
main(int argc, char **argv)
{
    using namespace gem5;
    if (argc < 5)
        return 2;
    draw = models::Random(std::stoull(argv[2]));
    for (int i = 5; i < argc; i++) {
        std::string word = argv[i];
        (word == "never-lose" ? neverLose : word == "old-values" ? oldValues : earlyPrefetches) = true;
    }
    System system;
    OrdealRunParams run;
    run.image = argv[1];
    auto add = [&](int n, bool device, std::vector<OrdealAgent *> &list) {
        for (int i = 0; i < n; i++) {
            OrdealAgentParams p;
            p.name = (device ? "device" : "core") + std::to_string(i);
            p.system = &system;
            p.number = i;
            p.device = device;
            list.push_back(new OrdealAgent(p));
            auto *s = new Sequencer;
            s->device = device;
            memory.sequencers.push_back(s);
            for (const char *name : {"data", "inst", "aux"})
                if (!device || name[0] == 'd')
                    s->bind(list.back()->getPort(name));
        }
    };
    add(std::stoi(argv[3]), false, run.cores);
    add(std::stoi(argv[4]), true, run.devices);
    OrdealRun runner(run);
    runner.startup();
    while (queue.end.empty() && curTick() < 100'000'000)
        if (!queue.step())
            break;
    std::cout << (queue.end.empty() ? "stuck" : queue.end) << std::endl;
    uint64_t operations = 0;
    for (OrdealAgent *a : run.cores)
        operations += a->totalInsts();
    std::cout << operations << " operations, " << Packet::alive << " packets" << std::endl;
    return 0;
}
