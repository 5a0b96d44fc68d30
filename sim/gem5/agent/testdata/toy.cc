// Runs the first thread of an image alone; the standard input answers its accesses.

#include <functional>
#include <iostream>
#include <queue>
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

static Setting
settingOf(Image &image, uint64_t seed)
{
    return {Model(image[ModelAt]), image[WindowAt], image[BufferAt], Rmw(image[RmwAt]), seed};
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
main(int, char **argv)
{
    Image image;
    std::string fault = image.open(argv[1]);
    if (!fault.empty()) {
        std::cout << fault << std::endl;
        return 2;
    }
    return script(image);
}
