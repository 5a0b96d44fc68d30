#include "ordeal/run.hh"

#include "base/cprintf.hh"
#include "base/logging.hh"
#include "sim/sim_exit.hh"

namespace gem5
{

namespace models = ::ordeal;

OrdealRun::OrdealRun(const OrdealRunParams &p)
    : SimObject(p), cores(p.cores.begin(), p.cores.end()), devices(p.devices.begin(), p.devices.end()), random(0),
      nextEvent([this] { next(); }, name() + ".next"), functionalEvent([this] { readFunctionally(); }, name() + ".functional")
{
    std::string fault = image.open(p.image);
    fatal_if(!fault.empty(), "ordeal: %s", fault);
    for (size_t k = 0; k < image.programs(); k++) {
        for (size_t t = 0; t < image.program(k)[models::ThreadsAt]; t++) {
            uint64_t *h = image.thread(k, t);
            size_t n = models::Agent(h[models::AgentAt]) == models::Agent::Device ? devices.size() : cores.size();
            fatal_if(h[models::NumberAt] >= n, "ordeal: thread %d wants agent %d, there are %d", t, h[models::NumberAt], n);
        }
    }
    seed = image[models::SeedAt];
}

void
OrdealRun::startup()
{
    image[models::StateAt] = 1;
    schedule(nextEvent, curTick() + 1);
}

uint64_t
OrdealRun::seedOf(uint64_t number) const
{
    return seed + (number + 1 + 1000 * program) * 0x9e3779b97f4a7c15ULL;
}

// next goes on: with the final values of the program that has run, or with the next program.
void
OrdealRun::next()
{
    if (phase == Running)
        return finish();
    if (phase == Reading)
        image[models::CurrentAt] = ++program;
    models::Counts counts;
    for (auto *list : {&cores, &devices})
        for (OrdealAgent *a : *list)
            a->clear(counts);
    image[models::SquashedAt] += counts.squashed;
    image[models::FailedAt] += counts.failed;
    truth.clear();
    if (program < image.programs())
        return begin();
    image[models::StateAt] = 2;
    exitSimLoop("ordeal: done", 0);
}

void
OrdealRun::begin()
{
    const uint64_t *p = image.program(program), *addresses = image.addresses(program);
    lines.clear();
    for (size_t l = 0; l < p[models::LocationsAt]; l++)
        lines.push_back(models::lineOf(addresses[l]));
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());

    phase = Running;
    running = p[models::ThreadsAt];
    for (size_t t = 0; t < p[models::ThreadsAt]; t++) {
        const uint64_t *h = image.thread(program, t);
        models::Agent kind = models::Agent(h[models::AgentAt]);
        OrdealAgent *agent = kind == models::Agent::Device ? devices[h[models::NumberAt]] : cores[h[models::NumberAt]];
        models::Thread thread(image, program, t, seedOf(100 + t));
        models::Setting setting = {models::Model(image[models::ModelAt]), image[models::WindowAt], image[models::BufferAt], models::Rmw(image[models::RmwAt]), seedOf(t)};
        for (uint64_t i = 0; kind == models::Agent::Device && i < h[models::OperationsAt]; i++) {
            const uint64_t *op = image.at(h[models::CodeAt]) + 2 * i;
            if (models::Kind(*op & 0xff) == models::Kind::Store)
                truth.ignore(addresses[*op >> 8]);
        }
        agent->run(*this, kind == models::Agent::Fetch, [&](models::Lane &lane) -> std::unique_ptr<models::Runner> {
            switch (kind) {
              case models::Agent::Device:
                return std::make_unique<models::Device>(lane, thread, addresses, p[models::LocationsAt]);
              case models::Agent::Fetch:
                return std::make_unique<models::Fetcher>(lane, thread);
              default:
                return models::makeCore(lane, thread, setting);
            }
        });
    }
    random = models::Random(seedOf(200));
    for (size_t i = 0; i < cores.size() && !lines.empty(); i++)
        cores[i]->begin(seedOf(300 + i));
    readFunctionally();
    if (running == 0)
        ended();
}

void
OrdealRun::ended()
{
    if (running == 0 || --running == 0)
        schedule(nextEvent, curTick() + 1);
}

// finish reads the final values through the first core.
void
OrdealRun::finish()
{
    phase = Reading;
    running = 1;
    for (OrdealAgent *core : cores)
        core->end();
    cores[0]->run(*this, false, [&](models::Lane &lane) -> std::unique_ptr<models::Runner> {
        return models::makeCore(lane, models::Thread(image, program), {models::Model::InOrder, 1, 1, models::Rmw::OneAccess, 0});
    });
}

// readFunctionally compares a line with what its words may hold, now and then.
void
OrdealRun::readFunctionally()
{
    uint64_t interval = image[models::FunctionalAt];
    if (interval == 0 || phase != Running || lines.empty())
        return;
    uint64_t words[models::LineBytes / models::WordBytes] = {};
    Addr line = lines[random.below(lines.size())];
    const uint64_t *p = image.program(program), *addresses = image.addresses(program);
    image[models::FunctionalsAt]++;
    if (!cores[0]->read(line, words)) {
        image[models::MissesAt]++;
    } else {
        for (size_t l = 0; l < p[models::LocationsAt]; l++) {
            uint64_t value = words[(addresses[l] - line) / models::WordBytes % (models::LineBytes / models::WordBytes)];
            if (models::lineOf(addresses[l]) == line && !truth.possible(addresses[l], value)) {
                exitSimLoop(csprintf("ordeal: functional read finds an old value: location %d at %#x holds %d; the last write stored %d",
                                     l, addresses[l], value, truth.last(addresses[l])), 1);
                return;
            }
        }
    }
    if (!functionalEvent.scheduled())
        schedule(functionalEvent, curTick() + cores[0]->clockPeriod() * (1 + random.below(2 * interval)));
}

} // namespace gem5
