// What the tests of models.hh run: the models on a toy memory in place of gem5.
//
//   toy run IMAGE SEED   runs all programs, with latencies and losses of lines drawn from the
//                        seed, and writes their logs as the tester does
//   toy script IMAGE     runs the first thread alone; the standard input answers its accesses

#include <functional>
#include <iostream>
#include <map>
#include <queue>
#include <set>
#include <sstream>

#include "ordeal/models.hh"

using namespace ordeal;

struct Event
{
    uint64_t at, order;
    std::function<void()> act;
    bool operator<(const Event &e) const { return at != e.at ? at > e.at : order > e.order; }
};

struct Queue
{
    uint64_t now = 0, count = 0;
    std::priority_queue<Event> events;

    void add(uint64_t at, std::function<void()> f) { events.push({at, count++, std::move(f)}); }

    bool
    step()
    {
        if (events.empty())
            return false;
        Event e = events.top();
        events.pop();
        now = e.at;
        e.act();
        return true;
    }
};

struct Toy : Lane
{
    Toy(Queue &q) : queue(q) {}

    uint64_t now() const override { return queue.now; }

    void
    wake(uint64_t at) override
    {
        at = std::max(at, now() + 1);
        if (next > now() && next <= at)
            return;
        next = at; // one that is scheduled for later steps once more, which is harmless
        queue.add(at, [this] { runner->step(); });
    }

    Queue &queue;
    uint64_t next = 0;
    std::unique_ptr<Runner> runner;
};

// Port is a lane to memory.
struct Memory;
struct Port : Toy
{
    Port(Queue &q, Memory &m) : Toy(q), memory(m) {}
    bool send(const Access &a) override;

    Memory &memory;
    int underWay = 0;
    bool refused = false;
    std::set<uint64_t> lines; // that it holds
    uint64_t monitor = ~0ULL;
};

struct Memory
{
    Queue &queue;
    Random random;
    std::map<uint64_t, uint64_t> words;
    std::map<uint64_t, Port *> locks; // of lines
    std::vector<Port *> ports;

    void
    lose(Port *p, uint64_t line)
    {
        p->lines.erase(line);
        if (p->monitor == line)
            p->monitor = ~0ULL;
#ifndef NEVER_LOSE
        p->runner->evict(line);
#endif
    }

    void
    perform(Port *p, Access a)
    {
        uint64_t line = lineOf(a.addr);
        if (locks.count(line) && locks[line] != p)
            return queue.add(queue.now + 3, [=] { perform(p, a); });
        bool write = writes(a.command), failed = a.command == Command::ConditionalWrite && p->monitor != line;
        if (a.command == Command::LockedRead || (write && !failed))
            for (Port *other : ports)
                if (other != p && other->lines.count(line))
                    lose(other, line);
        if (a.command == Command::LockedRead)
            locks[line] = p;
        if (a.command == Command::LockedWrite)
            locks.erase(line);
        if (a.command == Command::LinkedRead)
            p->monitor = line;
        Access answer = a;
        for (unsigned i = 0; i < a.bytes / WordBytes; i++) {
            uint64_t &w = words[a.addr + i * WordBytes];
            answer.data[i] = w;
            if (write && !failed)
                w = a.command == Command::Add ? w + a.data[i] : a.data[i];
        }
        p->lines.insert(line);
        if (random.below(8) == 0)
            lose(p, *std::next(p->lines.begin(), random.below(p->lines.size())));
        // As in gem5 the data are copied here and delivered later.
        queue.add(queue.now + random.below(4), [=] {
            p->underWay--;
            if (failed)
                p->runner->failed(a.tag);
            else
                p->runner->done(a.tag, answer.data);
            if (p->refused)
                p->wake(p->now() + 1);
            p->refused = false;
        });
    }
};

bool
Port::send(const Access &a)
{
    if (underWay == 4) {
        refused = true;
        return false;
    }
    underWay++;
    queue.add(now() + 1 + memory.random.below(40), [=] { memory.perform(this, a); });
    return true;
}

static Setting
settingOf(Image &image, uint64_t seed)
{
    return {Model(image[ModelAt]), image[WindowAt], image[BufferAt], Rmw(image[RmwAt]), seed};
}

static int
run(Image &image, uint64_t seed)
{
    for (size_t k = 0; k < image.programs(); k++) {
        Queue queue;
        Memory memory = {queue, Random(seed + k), {}, {}, {}};
        std::vector<std::unique_ptr<Port>> ports;
        uint64_t *p = image.program(k);
        auto add = [&](std::function<std::unique_ptr<Runner>(Lane &)> make) {
            ports.push_back(std::make_unique<Port>(queue, memory));
            Port *port = ports.back().get();
            port->runner = make(*port);
            memory.ports.push_back(port);
            port->wake(1);
        };
        auto ended = [&] {
            for (auto &port : ports)
                if (!port->runner->ended() || port->underWay > 0)
                    return false;
            return true;
        };
        for (size_t t = 0; t < p[ThreadsAt]; t++) {
            add([&](Lane &lane) -> std::unique_ptr<Runner> {
                Thread thread(image, k, t, seed + t);
                if (Agent(image.thread(k, t)[AgentAt]) == Agent::Device)
                    return std::make_unique<Device>(lane, thread, image.addresses(k), p[LocationsAt]);
                if (Agent(image.thread(k, t)[AgentAt]) == Agent::Fetch)
                    return std::make_unique<Fetcher>(lane, thread);
                return makeCore(lane, thread, settingOf(image, seed + 99 * t));
            });
        }
        while (!ended())
            if (!queue.step())
                return 3; // nothing is left that could happen
        add([&](Lane &lane) { return makeCore(lane, Thread(image, k), {Model::InOrder, 1, 1, Rmw::OneAccess, 0}); });
        while (!ended())
            if (!queue.step())
                return 4;
        for (auto &port : ports)
            image[SquashedAt] += port->runner->counts.squashed;
        image[CurrentAt] = k + 1;
    }
    image[StateAt] = 2;
    return 0;
}

// Hand is a lane whose accesses are answered by hand.
struct Hand : Toy
{
    using Toy::Toy;

    bool
    send(const Access &a) override
    {
        underWay.push_back(a);
        return true;
    }

    std::vector<Access> underWay;
};

// script prints the accesses under way after each line that it reads: "answer NAME LINE WORDS"
// ends all accesses of a name to a line that held eight words, "fail NAME LINE" those that
// fail, and "evict LINE" takes a line.
static int
script(Image &image)
{
    static const char names[] = "RWAA+-lsF";
    Queue queue;
    Hand hand(queue);
    hand.runner = makeCore(hand, Thread(image, 0, 0, 1), settingOf(image, image[SeedAt]));
    hand.wake(1);
    for (;;) {
        while (queue.step()) {
        }
        for (const Access &a : hand.underWay)
            std::cout << names[int(a.command)] << " " << a.addr << " " << a.data[0] << " " << int(a.command) << "\n";
        std::cout << (hand.runner->ended() ? "ended" : "goes on") << std::endl;
        std::string line, word, name;
        if (!std::getline(std::cin, line))
            return 0;
        std::istringstream in(line);
        uint64_t addr = 0, words[LineBytes / WordBytes] = {};
        in >> word;
        if (word == "evict") {
            in >> addr;
            hand.runner->evict(addr);
            continue;
        }
        in >> name >> addr;
        for (uint64_t &w : words)
            in >> w;
        std::vector<Access> all;
        all.swap(hand.underWay);
        for (const Access &a : all) {
            if (names[int(a.command)] != name[0] || lineOf(a.addr) != addr)
                hand.underWay.push_back(a);
            else if (word == "fail")
                hand.runner->failed(a.tag);
            else
                hand.runner->done(a.tag, words + (a.addr - addr) / WordBytes);
        }
    }
}

int
main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    Image image;
    std::string fault = image.open(argv[2]);
    if (!fault.empty()) {
        std::cout << fault << std::endl;
        return 2;
    }
    return std::string(argv[1]) == "run" ? run(image, argc > 3 ? std::stoull(argv[3]) : 1) : script(image);
}
