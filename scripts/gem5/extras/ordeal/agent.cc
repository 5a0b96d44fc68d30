#include "ordeal/agent.hh"

#include "base/amo.hh"
#include "base/logging.hh"
#include "mem/request.hh"
#include "ordeal/run.hh"
#include "sim/system.hh"

namespace gem5
{

namespace models = ::ordeal;
using models::Access;
using models::Command;
using models::LineBytes;

namespace
{

// Sender says whose access a packet is.
struct Sender : public Packet::SenderState
{
    Sender(OrdealAgent::Client &c, const Access &a) : client(c), access(a) {}

    OrdealAgent::Client &client;
    Access access;
};

// Form is how gem5 has a command.
struct Form
{
    MemCmd command;
    Request::FlagsType flags;
};

Form
formOf(Command c)
{
    switch (c) {
      case Command::Read:
        return {MemCmd::ReadReq, 0};
      case Command::Write:
        return {MemCmd::WriteReq, 0};
      case Command::Swap:
        return {MemCmd::SwapReq, Request::MEM_SWAP};
      case Command::Add:
        return {MemCmd::SwapReq, Request::ATOMIC_RETURN_OP};
      case Command::LockedRead:
        return {MemCmd::LockedRMWReadReq, Request::LOCKED_RMW};
      case Command::LockedWrite:
        return {MemCmd::LockedRMWWriteReq, Request::LOCKED_RMW};
      case Command::LinkedRead:
        return {MemCmd::LoadLockedReq, Request::LLSC};
      case Command::ConditionalWrite:
        return {MemCmd::StoreCondReq, Request::LLSC};
      case Command::Fetch:
        return {MemCmd::ReadReq, Request::INST_FETCH};
    }
    panic("unknown command");
}

} // namespace

OrdealAgent::OrdealAgent(const OrdealAgentParams &p)
    : ClockedObject(p), id(p.system->getRequestorId(this)), context(p.number), device(p.device),
      data(name() + ".data", !p.device), inst(name() + ".inst", false), aux(name() + ".aux", false), random(0),
      flushEvent([this] { flush(); }, name() + ".flush"), prefetchEvent([this] { prefetch(); }, name() + ".prefetch")
{}

Port &
OrdealAgent::getPort(const std::string &name, PortID id)
{
    if (name == "data")
        return data;
    if (name == "inst")
        return inst;
    if (name == "aux")
        return aux;
    return ClockedObject::getPort(name, id);
}

void
OrdealAgent::run(OrdealRun &r, bool fetch, const Make &make)
{
    owner = &r;
    Lane &lane = fetch ? inst : data;
    lane.clients.push_back(std::make_unique<Client>(*this, lane));
    lane.clients.back()->start(make(*lane.clients.back()));
}

void
OrdealAgent::clear(models::Counts &c)
{
    for (Lane *lane : {&data, &inst}) {
        for (auto &client : lane->clients) {
            c.squashed += client->model().counts.squashed;
            c.failed += client->model().counts.failed;
        }
        lane->clients.clear();
    }
}

RequestPtr
OrdealAgent::request(const Access &a) const
{
    auto req = std::make_shared<Request>(a.addr, a.bytes, formOf(a.command).flags, id);
    if (!device)
        req->setContext(context);
    if (a.command == Command::Add)
        req->setAtomicOpFunctor(std::make_unique<AtomicOpAdd<uint64_t>>(a.data[0]));
    return req;
}

void
OrdealAgent::begin(uint64_t seed)
{
    active = true;
    random = models::Random(seed);
    later(flushEvent, owner->image[models::FlushAt]);
    later(prefetchEvent, owner->image[models::PrefetchAt]);
}

void
OrdealAgent::later(Event &e, uint64_t interval)
{
    if (active && interval > 0 && !e.scheduled())
        schedule(e, clockEdge(Cycles(1 + random.below(2 * interval))));
}

Addr
OrdealAgent::anyLine()
{
    return owner->lines[random.below(owner->lines.size())];
}

// flush flushes a line; the next flush comes when this one has ended. A flush has no response:
// its end is that of the request.
void
OrdealAgent::flush()
{
    if (!active)
        return;
    auto next = [this](Request *r) {
        delete r;
        later(flushEvent, owner->image[models::FlushAt]);
    };
    RequestPtr req(new Request(anyLine(), LineBytes, 0, id), next);
    req->setContext(context);
    PacketPtr pkt = new Packet(req, MemCmd::FlushReq);
    if (aux.sendTimingReq(pkt))
        owner->image[models::FlushesAt]++;
    else
        delete pkt;
}

void
OrdealAgent::prefetch()
{
    if (!active)
        return;
    bool exclusive = random.below(3) == 0;
    auto req = std::make_shared<Request>(anyLine(), unsigned(models::WordBytes), Request::PREFETCH, id);
    if (exclusive)
        req->setFlags(Request::PF_EXCLUSIVE);
    req->setContext(context);
    PacketPtr pkt = new Packet(req, exclusive ? MemCmd::SoftPFExReq : MemCmd::SoftPFReq);
    pkt->allocate();
    if (aux.sendTimingReq(pkt))
        owner->image[models::PrefetchesAt]++;
    else
        delete pkt;
    later(prefetchEvent, owner->image[models::PrefetchAt]);
}

bool
OrdealAgent::read(Addr line, uint64_t *words)
{
    auto req = std::make_shared<Request>(line, unsigned(LineBytes), 0, id);
    req->setContext(context);
    Packet pkt(req, MemCmd::ReadReq);
    pkt.dataStatic(words);
    pkt.setSuppressFuncError();
    aux.sendFunctional(&pkt);
    return !pkt.isError();
}

bool
OrdealAgent::Lane::recvTimingResp(PacketPtr pkt)
{
    if (auto *s = dynamic_cast<Sender *>(pkt->senderState)) {
        pkt->popSenderState();
        s->client.answer(pkt, s->access);
        delete s;
    }
    delete pkt; // of a prefetch the data are undefined
    return true;
}

// recvReqRetry is called within the completion of another access: the models go on after it,
// as O3 cores do.
void
OrdealAgent::Lane::recvReqRetry()
{
    for (auto &client : clients)
        client->wake(client->now() + 1);
}

void
OrdealAgent::Lane::recvTimingSnoopReq(PacketPtr pkt)
{
    if (!pkt->isInvalidate())
        return;
    for (auto &client : clients)
        client->model().evict(models::lineOf(pkt->getAddr()));
}

OrdealAgent::Client::~Client()
{
    if (event.scheduled())
        agent.deschedule(event);
}

void
OrdealAgent::Client::start(std::unique_ptr<models::Runner> r)
{
    runner = std::move(r);
    wake(now() + 1);
}

void
OrdealAgent::Client::wake(uint64_t at)
{
    Tick tick = agent.clockEdge(Cycles(std::max<uint64_t>(at > now() ? at - now() : 0, 1)));
    if (!event.scheduled())
        agent.schedule(event, tick);
    else if (event.when() > tick)
        agent.reschedule(event, tick);
}

bool
OrdealAgent::Client::send(const Access &a)
{
    PacketPtr pkt = new Packet(agent.request(a), formOf(a.command).command);
    pkt->allocate();
    bool writes = models::writes(a.command);
    if (writes)
        memcpy(pkt->getPtr<uint8_t>(), a.data, a.bytes);
    auto *sender = new Sender(*this, a);
    pkt->pushSenderState(sender);
    if (!lane.sendTimingReq(pkt)) {
        agent.owner->image[models::RefusedAt]++;
        delete pkt->popSenderState();
        delete pkt;
        return false;
    }
    underWay++;
    if (writes && !agent.device)
        agent.owner->truth.started(a.addr, a.data[0], a.command == Command::Add);
    return true;
}

void
OrdealAgent::Client::answer(PacketPtr pkt, const Access &a)
{
    panic_if(pkt->isError(), "%s: access of %#x failed", agent.name(), a.addr);
    underWay--;
    agent.accesses++;
    uint64_t words[LineBytes / models::WordBytes] = {};
    bool add = a.command == Command::Add, failed = a.command == Command::ConditionalWrite && pkt->req->getExtraData() == 0;
    if (!models::writes(a.command) || add || a.command == Command::Swap)
        memcpy(words, pkt->getConstPtr<uint8_t>(), a.bytes);
    if (models::writes(a.command) && !agent.device)
        agent.owner->truth.ended(a.addr, add ? words[0] + a.data[0] : a.data[0], add, !failed);
    if (failed)
        runner->failed(a.tag);
    else
        runner->done(a.tag, words);
    look();
}

void
OrdealAgent::Client::step()
{
    runner->step();
    look();
}

// look adds up what the model has done, and reports its end.
void
OrdealAgent::Client::look()
{
    agent.operations += runner->operations() - seen;
    seen = runner->operations();
    if (over || underWay > 0 || !runner->ended())
        return;
    over = true;
    agent.owner->ended();
}

} // namespace gem5
