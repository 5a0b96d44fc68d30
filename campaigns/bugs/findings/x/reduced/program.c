// A program of Ordeal; prints its log to stdout. Build with
// cc -O1 -std=c11 -pthread
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HASH UINT64_C(0x9096426af38f5787)
#define ROUNDS UINT64_C(1)
#define STRIDE UINT64_C(2)
#define THREADS 2
#define LOCATIONS 2

// Memory under test, in words.
static _Alignas(4096) _Atomic uint64_t memory[513];

// One operation each; the barrier keeps the compiler from moving them.
#define RELAXED memory_order_relaxed
#define KEEP() atomic_signal_fence(memory_order_seq_cst)
#define LOAD(w) (*log++ = atomic_load_explicit(&memory[w], RELAXED), KEEP())
#define STORE(w, v) (atomic_store_explicit(&memory[w], base + (v), RELAXED), KEEP())
#define EXCHANGE(w, v) (*log++ = atomic_exchange_explicit(&memory[w], base + (v), RELAXED), KEEP())
#define ADD(w, v) (*log++ = atomic_fetch_add_explicit(&memory[w], (v), RELAXED), KEEP())
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#define DELAY(n) do { for (volatile uint32_t i = 0; i < (n); i++) { } } while (0)

struct thread {
	uint64_t *(*round)(uint64_t *log, uint64_t base);
	uint64_t reads;
};

static const uint32_t offset[LOCATIONS] = {
	0, // x
	512, // y
};

static uint64_t *thread0(uint64_t *log, uint64_t base)
{
	(void)base;
	STORE(0, 1); // store x 1
	LOAD(512); // load y
	return log;
}

static uint64_t *thread1(uint64_t *log, uint64_t base)
{
	(void)base;
	LOAD(0); // load x
	LOAD(512); // load y
	return log;
}

static const struct thread threads[THREADS] = {
	{thread0, 1},
	{thread1, 2},
};

static uint64_t *logs[THREADS];
static atomic_int arrived;

static void fail(const char *what)
{
	fprintf(stderr, "ordeal: %s: %s\n", what, strerror(errno));
	_Exit(4);
}

static void *run(void *arg)
{
	int t = (int)(intptr_t)arg;
	uint64_t *log = logs[t];
	atomic_fetch_add(&arrived, 1);
	while (atomic_load(&arrived) < THREADS) { }
	for (uint64_t r = 0; r < ROUNDS; r++)
		log = threads[t].round(log, r * STRIDE);
	return 0;
}

static void put64(unsigned char *to, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		to[i] = (unsigned char)(v >> 8 * i);
}

// A frame: a header of 48 bytes, then the words, all little-endian.
static void frame(uint32_t kind, uint32_t number, const uint64_t *words, uint64_t count)
{
	size_t size = 48 + 8 * (size_t)count, done = 0;
	unsigned char *bytes = malloc(size);
	uint64_t sum = 0;
	if (!bytes)
		fail("allocate frame");
	for (uint64_t i = 0; i < count; i++) {
		sum = (sum << 5 | sum >> 59) ^ words[i];
		put64(bytes + 48 + 8 * i, words[i]);
	}
	memcpy(bytes, "ORDEAL1\n", 8);
	put64(bytes + 8, (uint64_t)number << 32 | kind);
	put64(bytes + 16, HASH);
	put64(bytes + 24, ROUNDS);
	put64(bytes + 32, count);
	put64(bytes + 40, sum);
	while (done < size) {
		ssize_t n = write(1, bytes + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			fail("write log");
		done += (size_t)n;
	}
	free(bytes);
}

int main(void)
{
	static pthread_t ids[THREADS];
	static uint64_t final[LOCATIONS];
	for (int t = 0; t < THREADS; t++) {
		size_t size = 8 * (size_t)(threads[t].reads * ROUNDS) + 8;
		logs[t] = malloc(size);
		if (!logs[t])
			fail("allocate log");
		memset(logs[t], 0, size); // no page faults between the accesses
	}
	for (int t = 0; t < THREADS; t++)
		if ((errno = pthread_create(&ids[t], 0, run, (void *)(intptr_t)t)))
			fail("create thread");
	for (int t = 0; t < THREADS; t++)
		if ((errno = pthread_join(ids[t], 0)))
			fail("join thread");
	for (int l = 0; l < LOCATIONS; l++)
		final[l] = atomic_load(&memory[offset[l]]);
	for (int t = 0; t < THREADS; t++)
		frame(1, (uint32_t)t, logs[t], threads[t].reads * ROUNDS);
	frame(2, 0, final, LOCATIONS);
	return 0;
}
