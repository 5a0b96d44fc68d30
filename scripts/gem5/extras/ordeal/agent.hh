// A core or a device of the tester: gem5's side of the models.

#ifndef ORDEAL_AGENT_HH
#define ORDEAL_AGENT_HH

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mem/packet.hh"
#include "mem/port.hh"
#include "ordeal/models.hh"
#include "params/OrdealAgent.hh"
#include "sim/clocked_object.hh"
#include "sim/eventq.hh"

namespace gem5
{

class OrdealRun;

class OrdealAgent : public ClockedObject
{
  public:
    explicit OrdealAgent(const OrdealAgentParams &p);

    Port &getPort(const std::string &name, PortID id = InvalidPortID) override;

    // What the agent has done up to now, for whoever watches the progress: operations that
    // have retired, and accesses that have ended.
    uint64_t totalInsts() const { return operations; }
    uint64_t totalAccesses() const { return accesses; }

    class Client;

    // run has a model run through the data port, or that of instruction fetches.
    using Make = std::function<std::unique_ptr<::ordeal::Runner>(::ordeal::Lane &)>;
    void run(OrdealRun &r, bool fetch, const Make &make);

    // clear forgets the models, all of which have ended, and adds up what they counted.
    void clear(::ordeal::Counts &c);

    // begin has lines flushed and prefetched until end.
    void begin(uint64_t seed);
    void end() { active = false; }

    // read reads a line past the protocol; false where it is nowhere to be found.
    bool read(Addr line, uint64_t *words);

  private:
    class Lane : public RequestPort
    {
      public:
        Lane(const std::string &name, bool snoops) : RequestPort(name), snooping(snoops) {}

        bool isSnooping() const override { return snooping; }

        std::vector<std::unique_ptr<Client>> clients;

      protected:
        bool recvTimingResp(PacketPtr pkt) override;
        void recvReqRetry() override;
        void recvTimingSnoopReq(PacketPtr pkt) override;
        void recvFunctionalSnoop(PacketPtr) override {}
        Tick recvAtomicSnoop(PacketPtr) override { return 0; }

      private:
        const bool snooping;
    };

    RequestPtr request(const ::ordeal::Access &a) const;
    void flush();
    void prefetch();
    void later(Event &e, uint64_t interval);
    Addr anyLine();

    const RequestorID id;
    const ContextID context; // none of a device
    const bool device;
    Lane data, inst, aux;
    OrdealRun *owner = nullptr;
    uint64_t operations = 0, accesses = 0;

    bool active = false;
    ::ordeal::Random random;
    EventFunctionWrapper flushEvent, prefetchEvent;
};

// Client is a model at a port.
class OrdealAgent::Client : public ::ordeal::Lane
{
  public:
    Client(OrdealAgent &a, OrdealAgent::Lane &l) : agent(a), lane(l), event([this] { step(); }, a.name() + ".step") {}
    ~Client();

    void start(std::unique_ptr<::ordeal::Runner> r);
    bool send(const ::ordeal::Access &a) override;
    uint64_t now() const override { return agent.curCycle(); }
    void wake(uint64_t at) override;

    void answer(PacketPtr pkt, const ::ordeal::Access &a);
    ::ordeal::Runner &model() { return *runner; }

  private:
    void step();
    void look();

    OrdealAgent &agent;
    OrdealAgent::Lane &lane;
    std::unique_ptr<::ordeal::Runner> runner;
    EventFunctionWrapper event;
    uint64_t underWay = 0; // accesses
    uint64_t seen = 0;     // operations of the model that the agent's count has
    bool over = false;
};

} // namespace gem5

#endif
