package ruby

import (
	"maps"
	"math/bits"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/constant"
	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/types"
)

// native generates the call of a builtin with a result of the form of E.
type native[E any] func(g *generator, x *types.Call) E

// The implementations of the builtins in the table of package types: those
// whose result is one word or nothing, an object, and several words. A key is
// that of a builtin, or its receiver and name for all overloads, or its
// receiver for all other methods.
var (
	wordBuiltins   map[string]native[wordExpr]
	objectBuiltins map[string]native[objectExpr]
	vectorBuiltins map[string]native[vectorExpr]
)

// implement generates the call of a builtin that a table has; otherwise it
// reports the builtin and returns none.
func implement[E any](g *generator, x *types.Call, table map[string]native[E], none E) E {
	b := x.Func.Builtin
	for _, key := range []string{b.Key, b.Group(), b.Recv} {
		if f := table[key]; f != nil {
			return f(g, x)
		}
	}
	g.unsupported(x.At, "builtin %s", b.Key)
	return none
}

// The tables refer to functions that refer to the tables.
func init() {
	wordBuiltins = map[string]native[wordExpr]{
		"error": raise,

		"clockEdge()":          clock,
		"clockEdge(Cycles)":    unary(func(c *controller, cycles uint64) uint64 { return uint64(c.now) + cycles }),
		"testAndRead":          testAndRead,
		"testAndReadMask":      testAndReadMask,
		"functionalMemoryRead": functionalMemoryRead,

		"queueMemoryRead":         queueMemory(false),
		"queueMemoryWrite":        queueMemory(true),
		"queueMemoryWritePartial": queueMemory(true),

		"curCycle":   clock,
		"curTick":    clock,
		"zero_time":  always(0),
		"max_tokens": always(constant.MaxTokens),

		"wakeUpBuffers": unary(func(c *controller, line uint64) uint64 {
			c.wakeUpBuffers(memory.Addr(line), c.code.ports[c.port].rank)
			return 0
		}),
		"wakeUpAllBuffers(Addr)": unary(func(c *controller, line uint64) uint64 {
			c.wakeUpBuffers(memory.Addr(line), c.code.ranks)
			return 0
		}),
		"wakeUpAllBuffers()": wakeUpAll,
		"profileMsgDelay":    nothing,

		"incomingTransactionStart": startTransaction(incoming),
		"incomingTransactionEnd":   endTransaction(incoming, "in_trans"),
		"outgoingTransactionStart": startTransaction(outgoing),
		"outgoingTransactionEnd":   endTransaction(outgoing, "out_trans"),
		"curTransitionEvent": func(*generator, *types.Call) wordExpr {
			return func(c *controller) uint64 { return uint64(c.event) }
		},
		"curTransitionNextState": func(*generator, *types.Call) wordExpr {
			return func(c *controller) uint64 { return c.next }
		},
		"mapAddressToDownstreamMachine": downstream,
		"RubyRequest.getRequestPtr":     always(0), // statistics and prefetchers use it
		"getRequestorID":                always(0),
		"respondsTo": unary(func(c *controller, line uint64) uint64 {
			return truth(c.system.isHome(c, memory.Addr(line)))
		}),

		"TBEStorage.size":     ofStorage(func(s *structure.Storage, _ int) (int, error) { return s.Size(), nil }),
		"TBEStorage.capacity": ofStorage(func(s *structure.Storage, _ int) (int, error) { return s.Capacity(), nil }),
		"TBEStorage.reserved": ofStorage(func(s *structure.Storage, _ int) (int, error) { return s.Reserved, nil }),
		"TBEStorage.slotsAvailable": ofStorage(func(s *structure.Storage, _ int) (int, error) {
			return s.Available(), nil
		}),
		"TBEStorage.areNSlotsAvailable": ofStorage(func(s *structure.Storage, n int) (int, error) {
			return int(truth(s.Available() >= n)), nil
		}),
		"TBEStorage.incrementReserved":   ofStorage(func(s *structure.Storage, _ int) (int, error) { s.Reserve(); return 0, nil }),
		"TBEStorage.decrementReserved":   ofStorage(func(s *structure.Storage, _ int) (int, error) { return 0, s.Release() }),
		"TBEStorage.addEntryToNewSlot":   ofStorage(func(s *structure.Storage, _ int) (int, error) { return s.Add() }),
		"TBEStorage.addEntryToSlot":      ofStorage(func(s *structure.Storage, slot int) (int, error) { return 0, s.Share(slot) }),
		"TBEStorage.removeEntryFromSlot": ofStorage(func(s *structure.Storage, slot int) (int, error) { return 0, s.Remove(slot) }),

		"ExpectedMap.clear": ofExpected(func(e structure.Expected, n uint64) (uint64, error) { e.Clear(n); return 0, nil }),
		"ExpectedMap.addExpectedRespType": ofExpected(func(e structure.Expected, typ uint64) (uint64, error) {
			e.ExpectResponse(typ)
			return 0, nil
		}),
		"ExpectedMap.addExpectedDataType": ofExpected(func(e structure.Expected, typ uint64) (uint64, error) {
			e.ExpectData(typ)
			return 0, nil
		}),
		"ExpectedMap.setExpectedCount": ofExpected(func(e structure.Expected, n uint64) (uint64, error) { e.SetCount(n); return 0, nil }),
		"ExpectedMap.addExpectedCount": ofExpected(func(e structure.Expected, n uint64) (uint64, error) { e.AddCount(n); return 0, nil }),
		"ExpectedMap.hasExpected":      ofExpected(func(e structure.Expected, _ uint64) (uint64, error) { return truth(e.Left() != 0), nil }),
		"ExpectedMap.hasReceivedResp":  ofExpected(func(e structure.Expected, _ uint64) (uint64, error) { return truth(e.HasResponse()), nil }),
		"ExpectedMap.hasReceivedData":  ofExpected(func(e structure.Expected, _ uint64) (uint64, error) { return truth(e.HasData()), nil }),
		"ExpectedMap.expected":         ofExpected(func(e structure.Expected, _ uint64) (uint64, error) { return e.Left(), nil }),
		"ExpectedMap.received":         ofExpected(func(e structure.Expected, _ uint64) (uint64, error) { return e.Received(), nil }),
		"ExpectedMap.receivedRespType": ofExpected(func(e structure.Expected, typ uint64) (uint64, error) { return truth(e.ResponseOf(typ)), nil }),
		"ExpectedMap.receivedDataType": ofExpected(func(e structure.Expected, typ uint64) (uint64, error) { return truth(e.DataOf(typ)), nil }),
		"ExpectedMap.receiveResp": ofExpected(func(e structure.Expected, typ uint64) (uint64, error) {
			ok, err := e.Response(typ)
			return truth(ok), err
		}),
		"ExpectedMap.receiveData": ofExpected(func(e structure.Expected, typ uint64) (uint64, error) {
			ok, err := e.Data(typ)
			return truth(ok), err
		}),

		"TriggerQueue.front":       triggerAt(true, false),
		"TriggerQueue.back":        triggerAt(false, false),
		"TriggerQueue.frontNB":     triggerAt(true, true),
		"TriggerQueue.backNB":      triggerAt(false, true),
		"TriggerQueue.empty":       noTriggers,
		"TriggerQueue.push":        pushTrigger(true, false),
		"TriggerQueue.pushNB":      pushTrigger(false, false),
		"TriggerQueue.pushFront":   pushTrigger(true, true),
		"TriggerQueue.pushFrontNB": pushTrigger(false, true),
		"TriggerQueue.emplace":     emplaceTrigger,
		"TriggerQueue.pop":         popTrigger,

		"dequeueMemRespQueue": dequeueAnswer,

		"mapAddressToMachine":    home,
		"mapAddressToRange":      homeInRange,
		"machineIDToMachineType": unary(func(_ *controller, id uint64) uint64 { return id >> numberBits }),
		"machineIDToNodeID":      unary(numberOf),
		"machineIDToVersion":     unary(numberOf),
		"createMachineID":        binary(func(typ, n uint64) uint64 { return machineID(int(typ), int(n)) }),
		"machineCount":           unary(func(c *controller, typ uint64) uint64 { return uint64(c.system.count(typ)) }),

		"mod":                        modulo,
		"addressOffset":              binary(func(a, b uint64) uint64 { return a - b }),
		"makeLineAddress(Addr, int)": lowBits,
		"makeLineAddress(Addr)": unary(func(_ *controller, a uint64) uint64 {
			return a &^ (types.BlockBytes - 1)
		}),
		"getOffset": unary(func(_ *controller, a uint64) uint64 {
			return a & (types.BlockBytes - 1)
		}),
		"maskLowOrderBits": binary(func(a, n uint64) uint64 { return a >> min(n, 63) << min(n, 63) }),

		"isWriteRequest":    kindIn("ST", "ATOMIC", "RMW_Read", "RMW_Write", "Store_Conditional", "Locked_RMW_Read", "Locked_RMW_Write", "FLUSH"),
		"isDataReadRequest": kindIn("LD", "Load_Linked"),
		"isReadRequest":     kindIn("LD", "Load_Linked", "IFETCH"),
		"isHtmCmdRequest":   kindIn("HTM_Start", "HTM_Commit", "HTM_Cancel", "HTM_Abort"),
		"isTlbiRequest":     kindIn("TLBI", "TLBI_SYNC", "TLBI_EXT_SYNC", "TLBI_EXT_SYNC_COMP"),

		"InPort.isReady":         portReady,
		"InPort.recycle":         recycle,
		"InPort.isEmpty":         portMethod(func(_ *controller, b *buffer) uint64 { return truth(b.head == len(b.items)) }),
		"InPort.isStallMapEmpty": portMethod(func(_ *controller, b *buffer) uint64 { return truth(len(b.stalls) == 0) }),
		"InPort.getStallMapSize": portMethod(func(_ *controller, b *buffer) uint64 { return uint64(len(b.stalls)) }),
		"InPort.hasStalledMsg":   hasStalled,

		"MessageBuffer.areNSlotsAvailable": always(1),
		"TBETable.areNSlotsAvailable": func(g *generator, x *types.Call) wordExpr {
			at, n := g.partOf(x), g.word(x.Args[0])
			return func(c *controller) uint64 { return truth(c.tables[at].room(int(n(c)))) }
		},

		"NetDest.setSize": nothing,

		"NetDest.clear":                        setMethod(clearSet),
		"NetDest.count":                        setMethod(countSet),
		"NetDest.isEmpty":                      setMethod(isEmptySet),
		"NetDest.addNetDest":                   setsMethod(addSet),
		"NetDest.removeNetDest":                setsMethod(removeSet),
		"NetDest.isSuperset(NetDest)":          setsMethod(superset),
		"NetDest.intersectionIsEmpty(NetDest)": setsMethod(disjoint),
		"NetDest.broadcast(MachineType)":       broadcast,
		"NetDest.broadcast()":                  broadcastAll,
		"NetDest.setNetDest":                   setNetDest,
		"NetDest.smallestElement":              smallest,

		"Set.setSize":             nothing,
		"Set.add":                 nodeBit(addBit),
		"Set.remove":              nodeBit(removeBit),
		"Set.isElement":           nodeBit(hasBit),
		"Set.addSet":              setsMethod(addSet),
		"Set.removeSet":           setsMethod(removeSet),
		"Set.isSuperset":          setsMethod(superset),
		"Set.intersectionIsEmpty": setsMethod(disjoint),
		"Set.clear":               setMethod(clearSet),
		"Set.count":               setMethod(countSet),
		"Set.isEqual":             setsMethod(func(s, t []uint64) uint64 { return truth(s[0] == t[0]) }),

		"WriteMask.clear":                   setMethod(clearSet),
		"WriteMask.isEmpty":                 setMethod(func(s []uint64) uint64 { return truth(s[0] == 0) }),
		"WriteMask.isFull":                  setMethod(func(s []uint64) uint64 { return truth(^s[0] == 0) }),
		"WriteMask.fillMask":                setMethod(func(s []uint64) uint64 { s[0] = ^uint64(0); return 0 }),
		"WriteMask.orMask":                  setsMethod(func(s, t []uint64) uint64 { s[0] |= t[0]; return withAtomic(s, t) }),
		"WriteMask.andMask":                 setsMethod(func(s, t []uint64) uint64 { s[0] &= t[0]; return withAtomic(s, t) }),
		"WriteMask.setInvertedMask":         setsMethod(func(s, t []uint64) uint64 { s[0] = ^t[0]; return 0 }),
		"WriteMask.containsMask":            setsMethod(func(s, t []uint64) uint64 { return truth(t[0]&^s[0] == 0) }),
		"WriteMask.cmpMask":                 setsMethod(func(s, t []uint64) uint64 { return truth(t[0]&^s[0] == 0) }),
		"WriteMask.isOverlap":               setsMethod(func(s, t []uint64) uint64 { return truth(s[0]&t[0] != 0) }),
		"WriteMask.count()":                 setMethod(func(s []uint64) uint64 { return uint64(bits.OnesCount64(s[0])) }),
		"WriteMask.setMask(int, int)":       setMask,
		"WriteMask.setMask(int, int, bool)": setMask,
		"WriteMask.getMask":                 getMask,
		"WriteMask.test":                    testMask,
		"WriteMask.firstBitSet":             firstByte,
		"WriteMask.getBlockSize":            always(types.BlockBytes),
		"WriteMask.setBlockSize":            nothing, // all masks are of lines

		"DataBlock.clear": setMethod(clearSet),
		"DataBlock.copyPartial(DataBlock, WriteMask)": copyMasked,
		"DataBlock.copyPartial(DataBlock, int, int)":  copyRange,
		"DataBlock.atomicPartial":                     atomicPartial,
		"DataBlock.clearAtomicLogEntries":             nothing,
		"DataBlock.numAtomicLogEntries":               always(0),

		"AbstractCacheEntry.setInHtmReadSet":  nothing,
		"AbstractCacheEntry.setInHtmWriteSet": nothing,
		"AbstractCacheEntry.getInHtmReadSet":  always(0),
		"AbstractCacheEntry.getInHtmWriteSet": always(0),

		"CacheMemory.cacheAvail": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
			return truth(c.caches[at].Available(line))
		}),
		"CacheMemory.setMRU(Addr)":               lineMethod(touchLine),
		"CacheMemory.setMRU(Addr, int)":          lineMethod(touchLine),
		"CacheMemory.setMRU(AbstractCacheEntry)": touchEntry,
		"CacheMemory.cacheProbe":                 victim,
		"CacheMemory.deallocate":                 deallocate,
		"CacheMemory.allocateVoid": func(g *generator, x *types.Call) wordExpr {
			f := allocate(g, x)
			return func(c *controller) uint64 {
				f(c)
				return 0
			}
		},
		"CacheMemory.htmCommitTransaction":   never,
		"CacheMemory.htmAbortTransaction":    never,
		"CacheMemory.recordRequestType":      nothing,
		"CacheMemory.checkResourceAvailable": always(1),
		"CacheMemory.profileDemandHit":       nothing,
		"CacheMemory.profileDemandMiss":      nothing,
		"CacheMemory.profilePrefetchHit":     nothing,
		"CacheMemory.profilePrefetchMiss":    nothing,
		"CacheMemory.getTagLatency": func(*generator, *types.Call) wordExpr {
			return func(c *controller) uint64 { return c.tagLatency }
		},
		"CacheMemory.getDataLatency": func(*generator, *types.Call) wordExpr {
			return func(c *controller) uint64 { return c.dataLatency }
		},

		"DirectoryMemory.isPresent": lineMethod(func(c *controller, _ int, line memory.Addr) uint64 {
			return truth(c.system.isHome(c, line))
		}),
		"DirectoryMemory.deallocate":        lineMethod(dropEntry),
		"DirectoryMemory.recordRequestType": nothing,
		"DirectoryMemory.invalidateBlock":   nothing,

		"PerfectCacheMemory.deallocate": lineMethod(dropEntry),
		"PerfectCacheMemory.isTagPresent": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
			return truth(c.directory[at].lookup(line) != nil)
		}),
		"PerfectCacheMemory.allocate": allocatePerfect,

		"TBETable.isPresent": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
			return truth(c.tables[at].lookup(line) != nil)
		}),
		"TBETable.allocate":   lineMethod(allocateTBE),
		"TBETable.deallocate": lineMethod(deallocateTBE),

		"TimerTable.isReady": func(g *generator, x *types.Call) wordExpr { return timerReady(g.partOf(x)) },
		"TimerTable.isSet": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
			return truth(c.timers[at].Find(line) >= 0)
		}),
		"TimerTable.unset":       lineMethod(unsetTimer),
		"TimerTable.nextAddress": nextTimed,
		"TimerTable.set":         setTimer,

		"PersistentTable.persistentRequestLock": lockPersistent,
		"PersistentTable.persistentRequestUnlock": ofPersistent(
			func(_ *controller, t *structure.Persistent, line int64, machine int) (uint64, error) {
				return 0, t.Unlock(line, machine)
			}),
		"PersistentTable.okToIssueStarving": ofPersistent(
			func(_ *controller, t *structure.Persistent, line int64, machine int) (uint64, error) {
				return truth(t.MayStarve(line, machine)), nil
			}),
		"PersistentTable.findSmallest": ofPersistent(
			func(c *controller, t *structure.Persistent, line int64, _ int) (uint64, error) {
				machine, _, err := t.Smallest(line)
				return c.machineAt(machine), err
			}),
		"PersistentTable.typeOfSmallest": typeOfSmallest,
		"PersistentTable.markEntries": ofPersistent(
			func(_ *controller, t *structure.Persistent, line int64, _ int) (uint64, error) {
				return 0, t.Mark(line)
			}),
		"PersistentTable.isLocked": ofPersistent(
			func(_ *controller, t *structure.Persistent, line int64, _ int) (uint64, error) {
				return truth(t.Locked(line)), nil
			}),
		"PersistentTable.countStarvingForAddress": ofPersistent(
			func(_ *controller, t *structure.Persistent, line int64, _ int) (uint64, error) {
				return uint64(t.Count(line, false)), nil
			}),
		"PersistentTable.countReadStarvingForAddress": ofPersistent(
			func(_ *controller, t *structure.Persistent, line int64, _ int) (uint64, error) {
				return uint64(t.Count(line, true)), nil
			}),

		"Prefetcher":                           nothing,
		"RubyPrefetcher.observeMiss":           observeMiss,
		"RubyPrefetcher.observePfHit":          observeUse,
		"RubyPrefetcher.observePfMiss":         observeUse,
		"RubyPrefetcherProxy":                  nothing,
		"RubyPrefetcherProxy.completePrefetch": completePrefetch,
	}
	maps.Copy(wordBuiltins, coreBuiltins)
	for _, key := range conversions {
		wordBuiltins[key] = argument
	}
	objectBuiltins = map[string]native[objectExpr]{
		"CacheMemory.allocate":      allocate,
		"CacheMemory.getNullEntry":  noEntry,
		"DirectoryMemory.allocate":  allocateDirectory,
		"PerfectCacheMemory.lookup": lookupPerfect,
		"TBETable.getNullEntry":     noEntry,
	}
	vectorBuiltins = map[string]native[vectorExpr]{
		"TriggerQueue.next": nextTrigger,

		"NetDest.OR":  combine(func(s, t uint64) uint64 { return s | t }),
		"NetDest.AND": combine(func(s, t uint64) uint64 { return s & t }),
	}
}

// conversions are the builtins that are their argument: one tick is one cycle.
var conversions = []string{
	"cyclesToTicks", "ticksToCycles", "intToCycles", "intToTick", "intToID", "IDToInt", "addressToInt", "intToAddress",
}

func unary(f func(c *controller, arg uint64) uint64) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		if at, ok := g.fixed(x.Args[0]); ok {
			return func(c *controller) uint64 { return f(c, c.words[at]) }
		}
		arg := g.word(x.Args[0])
		return func(c *controller) uint64 { return f(c, arg(c)) }
	}
}

func binary(f func(a, b uint64) uint64) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		a, b := g.word(x.Args[0]), g.word(x.Args[1])
		return func(c *controller) uint64 { return f(a(c), b(c)) }
	}
}

// lowBits takes a number of bits from an address, fewer than it has (gem5's Address.cc,
// makeLineAddress).
func lowBits(g *generator, x *types.Call) wordExpr {
	addr, n, pos := g.word(x.Args[0]), g.word(x.Args[1]), x.At
	return func(c *controller) uint64 {
		n := n(c)
		if n >= 64 {
			c.failAt(pos, "makeLineAddress of all bits", "%d", int64(n))
		}
		return addr(c) >> n << n
	}
}

// argument is the call of one of the conversions.
func argument(g *generator, x *types.Call) wordExpr { return g.word(x.Args[0]) }

// nothing is a builtin without effect, whose result is zero.
func nothing(*generator, *types.Call) wordExpr { return nil }

func always(v uint64) native[wordExpr] {
	return func(*generator, *types.Call) wordExpr { return func(*controller) uint64 { return v } }
}

// never is a builtin for requests that no core makes.
func never(_ *generator, x *types.Call) wordExpr {
	return func(c *controller) uint64 {
		c.failAt(x.At, x.Func.Name+" is not simulated", "no core makes such a request")
		return 0
	}
}

// partOf is the index of the part of the machine that a method is called on.
func (g *generator) partOf(x *types.Call) int {
	if use, ok := x.X.(*types.Use); ok && (use.Var.Kind == types.ParamVar || use.Var.Kind == types.ObjectVar) {
		return g.where(use.Var)
	}
	g.unsupported(x.At, "%s of this expression", x.Func.Name)
	return 0
}

// lineMethod is a method of a part of the machine that takes an address.
func lineMethod[T any](f func(c *controller, at int, line memory.Addr) T) native[func(*controller) T] {
	return func(g *generator, x *types.Call) func(*controller) T {
		at := g.partOf(x)
		if place, ok := g.fixed(x.Args[0]); ok {
			return func(c *controller) T { return f(c, at, memory.Addr(c.words[place])) }
		}
		line := g.word(x.Args[0])
		return func(c *controller) T { return f(c, at, memory.Addr(line(c))) }
	}
}

// dataCallback is a call of a core with a line and its data.
func dataCallback(f func(c *controller, at int, line memory.Addr, data *memory.Block)) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		at, line, data := g.partOf(x), g.word(x.Args[0]), g.vector(x.Args[1])
		return func(c *controller) uint64 {
			f(c, at, memory.Addr(line(c)), (*memory.Block)(data(c)))
			return 0
		}
	}
}

// portOf is the index of the in_port that a method is called on.
func (g *generator) portOf(x *types.Call) int {
	if use, ok := x.X.(*types.Use); ok && use.Var.Kind == types.InPortVar && !isTimer(g.code.machine.InPorts[use.Var.Index]) {
		return use.Var.Index
	}
	g.unsupported(x.At, "%s of this expression", x.Func.Name)
	return 0
}

// portMethod is a method of an in_port. The times that such methods take are
// always now.
func portMethod(f func(c *controller, b *buffer) uint64) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		port := g.portOf(x)
		return func(c *controller) uint64 { return f(c, c.in[port]) }
	}
}

// portReady is isReady of an in_port, which may poll a TimerTable.
func portReady(g *generator, x *types.Call) wordExpr {
	if use, ok := x.X.(*types.Use); ok && use.Var.Kind == types.InPortVar {
		if p := g.code.machine.InPorts[use.Var.Index]; isTimer(p) {
			return timerReady(g.where(p.Buffer))
		}
	}
	port := g.portOf(x)
	return func(c *controller) uint64 { return truth(c.in[port].ready(c.now)) }
}

func recycle(g *generator, x *types.Call) wordExpr {
	port, latency := g.portOf(x), g.word(x.Args[1])
	return func(c *controller) uint64 {
		if !c.in[port].ready(c.now) {
			c.fail("recycle of an empty port", "buffer %s", c.in[port].name())
		}
		c.in[port].recycle(c.now + event.Tick(latency(c)))
		return 0
	}
}

func hasStalled(g *generator, x *types.Call) wordExpr {
	port, line := g.portOf(x), g.word(x.Args[0])
	return func(c *controller) uint64 { return truth(c.in[port].stalledFor(memory.Addr(line(c))) > 0) }
}
