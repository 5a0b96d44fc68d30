// Runs the programs of a file.

#ifndef ORDEAL_RUN_HH
#define ORDEAL_RUN_HH

#include <vector>

#include "ordeal/agent.hh"
#include "params/OrdealRun.hh"
#include "sim/sim_object.hh"

namespace gem5
{

class OrdealRun : public SimObject
{
  public:
    explicit OrdealRun(const OrdealRunParams &p);

    void startup() override;

    // ended is called once by each model, from inside an event.
    void ended();

    ::ordeal::Image image;
    ::ordeal::Truth truth;
    std::vector<Addr> lines; // of the program that runs

  private:
    void next();
    void begin();
    void finish();
    void readFunctionally();
    uint64_t seedOf(uint64_t number) const;

    const std::vector<OrdealAgent *> cores, devices;
    uint64_t program = 0, running = 0, seed = 0;
    enum { Idle, Running, Reading } phase = Idle;
    ::ordeal::Random random;
    EventFunctionWrapper nextEvent, functionalEvent;
};

} // namespace gem5

#endif
