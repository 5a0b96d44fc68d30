package types

// builtinTable lists the functions and the methods of native types that the
// protocols of gem5 declare without a body. A line is a signature; the
// arguments in brackets may be left out, "|" separates alternatives, and "*"
// is any type. A function that is const depends on nothing but its arguments,
// the time and the configuration, and a const method on nothing but its
// receiver as well; neither changes anything. A method of a cache entry is one
// of AbstractCacheEntry, whatever the protocol calls its type.
const builtinTable = `
	void error(std::string)
	void assert(bool)
	std::string to_string(*) const
	AccessPermission to_permission(*) const

	Tick clockEdge([Cycles]) const
	Tick curTick() const
	Cycles curCycle() const
	Cycles zero_time() const
	Tick cyclesToTicks(Cycles) const
	Cycles ticksToCycles(Tick) const
	Cycles intToCycles(int) const
	Tick intToTick(int) const

	void set_tbe(TBE)
	void unset_tbe()
	void set_cache_entry(AbstractCacheEntry)
	void unset_cache_entry()

	void wakeUpBuffers(Addr)
	void wakeUpAllBuffers([Addr])
	void profileMsgDelay(int, Cycles)
	void scheduleEvent(Cycles)
	void incomingTransactionStart(Addr, *, *, bool[, bool])
	void incomingTransactionEnd(Addr, *[, bool])
	void outgoingTransactionStart(Addr, *[, bool])
	void outgoingTransactionEnd(Addr, bool[, bool])
	* curTransitionEvent()
	* curTransitionNextState()
	void dequeueMemRespQueue()
	int max_tokens() const

	MachineID mapAddressToMachine(Addr, MachineType) const
	MachineID mapAddressToDownstreamMachine(Addr[, MachineType]) const
	NetDest allUpstreamDest() const
	NetDest allDownstreamDest() const
	bool respondsTo(Addr) const
	MachineID mapAddressToRange(Addr, MachineType, int, int[, NodeID]) const
	MachineType machineIDToMachineType(MachineID) const
	NodeID machineIDToNodeID(MachineID) const
	NodeID machineIDToVersion(MachineID) const
	MachineID createMachineID(MachineType, NodeID) const
	int machineCount(MachineType) const
	NetDest broadcast(MachineType) const

	int mod(int, int) const
	NodeID intToID(int) const
	int IDToInt(NodeID) const
	int time_to_int(Cycles) const
	int addressToInt(Addr) const
	Addr intToAddress(int) const
	int addressOffset(Addr[, Addr]) const
	Addr makeLineAddress(Addr[, int]) const
	int getOffset(Addr) const
	Addr bitSelect(Addr, int, int) const
	Addr maskLowOrderBits(Addr, int) const
	Addr makeNextStrideAddress(Addr, int) const
	int countBoolVec(BoolVec) const

	bool isWriteRequest(RubyRequestType) const
	bool isReadRequest(RubyRequestType) const
	bool isDataReadRequest(RubyRequestType) const
	bool isHtmCmdRequest(RubyRequestType) const
	bool isTlbiRequest(RubyRequestType) const
	RubyRequestType htmCmdToRubyRequestType(Packet) const
	RubyRequestType tlbiCmdToRubyRequestType(Packet) const
	RequestorID getRequestorID(RequestPtr) const

	bool testAndRead(Addr, DataBlock, Packet)
	bool testAndReadMask(Addr, DataBlock, WriteMask, Packet)
	bool testAndWrite(Addr, DataBlock, Packet)
	void functionalMemoryRead(Packet)
	void queueMemoryRead(MachineID, Addr, Cycles)
	void queueMemoryWrite(MachineID, Addr, Cycles, DataBlock)
	void queueMemoryWritePartial(MachineID, Addr, Cycles, DataBlock, int)
	bool functionalMemoryWrite(Packet)

	bool InPort.isReady(Tick)
	Tick InPort.dequeue(Tick)
	void InPort.recycle(Tick, Tick)
	bool InPort.isEmpty() const
	bool InPort.isStallMapEmpty()
	int InPort.getStallMapSize()
	bool InPort.hasStalledMsg(Addr)
	void OutPort.enqueueDeferredMessages(Addr, Tick, Tick)
	bool OutPort.isDeferredMsgMapEmpty(Addr)
	bool MessageBuffer.areNSlotsAvailable(int, Tick)
	int MessageBuffer.getSize(Tick)

	void NetDest.setSize(int[, int])
	void NetDest.add(NodeID|MachineID)
	void NetDest.addSet(Set)
	void NetDest.addNetDest(NetDest)
	void NetDest.setNetDest(MachineType, Set)
	void NetDest.remove(NodeID|MachineID)
	void NetDest.removeSet(Set)
	void NetDest.removeNetDest(NetDest)
	void NetDest.broadcast([MachineType])
	bool NetDest.isElement(NodeID|MachineID) const
	bool NetDest.isSuperset(Set|NetDest) const
	bool NetDest.intersectionIsEmpty(Set|NetDest) const
	Set NetDest.toSet() const
	MachineID NetDest.smallestElement([MachineType]) const
	NetDest NetDest.OR(NetDest) const
	NetDest NetDest.AND(NetDest) const
	bool NetDest.isEmpty() const

	void Set.setSize(int)
	void Set.add(NodeID)
	void Set.addSet(Set)
	void Set.remove(NodeID)
	void Set.removeSet(Set)
	void Set.broadcast()
	bool Set.isElement(NodeID) const
	bool Set.isEqual(Set) const
	bool Set.isSuperset(Set) const
	bool Set.intersectionIsEmpty(Set) const
	NodeID Set.smallestElement() const
	void NetDest|Set.addRandom()
	int NetDest|Set.count() const

	void NetDest|Set|DataBlock|WriteMask.clear()
	void DataBlock.copyPartial(DataBlock, int, int)
	void DataBlock.copyPartial(DataBlock, WriteMask)
	void DataBlock.atomicPartial(DataBlock, WriteMask[, bool])
	int DataBlock.numAtomicLogEntries() const
	void DataBlock.clearAtomicLogEntries()

	bool WriteMask.cmpMask(WriteMask) const
	bool WriteMask.containsMask(WriteMask) const
	bool WriteMask.isEmpty() const
	bool WriteMask.isFull() const
	bool WriteMask.isOverlap(WriteMask) const
	void WriteMask.andMask(WriteMask)
	void WriteMask.orMask(WriteMask)
	void WriteMask.setInvertedMask(WriteMask)
	void WriteMask.fillMask()
	void WriteMask.setMask(int, int[, bool])
	bool WriteMask.getMask(int, int) const
	int WriteMask.firstBitSet(bool[, int]) const
	int WriteMask.count([int]) const
	bool WriteMask.test(int) const
	int WriteMask.getBlockSize() const
	int WriteMask.getBlockSizeBits() const
	void WriteMask.setBlockSize(int)

	void AbstractCacheEntry.changePermission(AccessPermission)
	bool AbstractCacheEntry.getInHtmReadSet() const
	void AbstractCacheEntry.setInHtmReadSet(bool)
	bool AbstractCacheEntry.getInHtmWriteSet() const
	void AbstractCacheEntry.setInHtmWriteSet(bool)
	RequestPtr RubyRequest.getRequestPtr()

	bool CacheMemory.cacheAvail(Addr) const
	Addr CacheMemory.cacheProbe(Addr) const
	AbstractCacheEntry CacheMemory.getNullEntry() const
	AbstractCacheEntry CacheMemory.allocate(Addr, AbstractCacheEntry[, bool])
	void CacheMemory.allocateVoid(Addr, AbstractCacheEntry)
	void CacheMemory.deallocate(Addr)
	AbstractCacheEntry CacheMemory.lookup(Addr) const
	bool CacheMemory.isTagPresent(Addr) const
	Cycles CacheMemory.getTagLatency()
	Cycles CacheMemory.getDataLatency()
	void CacheMemory.setMRU(Addr[, int])
	void CacheMemory.setMRU(AbstractCacheEntry)
	void CacheMemory.recordRequestType(CacheRequestType[, Addr])
	void CacheMemory.profileMiss(RubyRequest)
	void CacheMemory.profileGenericRequest(*, *, *)
	bool CacheMemory|Sequencer.checkResourceAvailable(CacheResourceType, Addr)
	void CacheMemory.htmCommitTransaction()
	void CacheMemory.htmAbortTransaction()
	int CacheMemory.getCacheSize() const
	int CacheMemory.getNumBlocks() const
	Addr CacheMemory.getAddressAtIdx(int) const
	void CacheMemory.profileDemandHit()
	void CacheMemory.profileDemandMiss()
	void CacheMemory.profilePrefetchHit()
	void CacheMemory.profilePrefetchMiss()

	AbstractCacheEntry DirectoryMemory.allocate(Addr, AbstractCacheEntry)
	AbstractCacheEntry DirectoryMemory.lookup(Addr) const
	void DirectoryMemory.deallocate(Addr)
	bool DirectoryMemory.isPresent(Addr) const
	void DirectoryMemory.invalidateBlock(Addr)
	void DirectoryMemory.recordRequestType(DirectoryRequestType)

	* PerfectCacheMemory.lookup(Addr) const
	void PerfectCacheMemory|TBETable.allocate(Addr)
	void PerfectCacheMemory|TBETable.deallocate(Addr)
	bool PerfectCacheMemory.isTagPresent(Addr) const

	TBE TBETable.lookup(Addr) const
	TBE TBETable.getNullEntry() const
	bool TBETable.isPresent(Addr) const
	bool TBETable.functionalRead(Packet)
	int TBETable.functionalWrite(Packet)

	bool TBETable.areNSlotsAvailable(int, Tick) const

	TBE MN_TBETable.lookup(Addr) const
	void MN_TBETable.allocate(Addr)
	void MN_TBETable.deallocate(Addr)
	bool MN_TBETable.isPresent(Addr) const
	TBE MN_TBETable.chooseNewDistributor() const

	int MN_TBEStorage.size() const
	int MN_TBEStorage.capacity() const
	int MN_TBEStorage.reserved() const
	int MN_TBEStorage.slotsAvailable(int) const
	bool MN_TBEStorage.areNSlotsAvailable(int, int) const
	void MN_TBEStorage.incrementReserved(int)
	void MN_TBEStorage.decrementReserved(int)
	int MN_TBEStorage.addEntryToNewSlot(int)
	void MN_TBEStorage.removeEntryFromSlot(int, int)
	bool MN_TBEStorage.hasPossibleRetry() const
	void MN_TBEStorage.emplaceRetryEntry(*)
	* MN_TBEStorage.popNextRetryEntry()

	int TBEStorage.size() const
	int TBEStorage.capacity() const
	int TBEStorage.reserved() const
	int TBEStorage.slotsAvailable() const
	bool TBEStorage.areNSlotsAvailable(int[, Tick]) const
	void TBEStorage.incrementReserved()
	void TBEStorage.decrementReserved()
	int TBEStorage.addEntryToNewSlot()
	void TBEStorage.addEntryToSlot(int)
	void TBEStorage.removeEntryFromSlot(int)

	void ExpectedMap.clear(int)
	void ExpectedMap.addExpectedRespType(*)
	void ExpectedMap.addExpectedDataType(*)
	void ExpectedMap.setExpectedCount(int)
	void ExpectedMap.addExpectedCount(int)
	bool ExpectedMap.hasExpected() const
	bool ExpectedMap.hasReceivedResp() const
	bool ExpectedMap.hasReceivedData() const
	int ExpectedMap.expected() const
	int ExpectedMap.received() const
	bool ExpectedMap.receiveResp(*)
	bool ExpectedMap.receiveData(*)
	bool ExpectedMap.receivedDataType(*) const
	bool ExpectedMap.receivedRespType(*) const

	* TriggerQueue.front() const
	* TriggerQueue.back() const
	* TriggerQueue.next() const
	bool TriggerQueue.frontNB() const
	bool TriggerQueue.backNB() const
	bool TriggerQueue.empty() const
	void TriggerQueue.push(*)
	void TriggerQueue.pushNB(*)
	void TriggerQueue.pushFront(*)
	void TriggerQueue.pushFrontNB(*)
	void TriggerQueue.emplace(*[, *[, *]])
	void TriggerQueue.pop()

	bool TimerTable.isReady(Tick)
	Addr TimerTable.nextAddress()
	void TimerTable.set(Addr, Tick)
	void TimerTable.unset(Addr)
	bool TimerTable.isSet(Addr)

	void PersistentTable.persistentRequestLock(Addr, MachineID, AccessType)
	void PersistentTable.persistentRequestUnlock(Addr, MachineID)
	bool PersistentTable.okToIssueStarving(Addr, MachineID) const
	MachineID PersistentTable.findSmallest(Addr) const
	AccessType PersistentTable.typeOfSmallest(Addr) const
	void PersistentTable.markEntries(Addr)
	bool PersistentTable.isLocked(Addr) const
	int PersistentTable.countStarvingForAddress(Addr) const
	int PersistentTable.countReadStarvingForAddress(Addr) const

	void Sequencer.readCallback(Addr, DataBlock[, bool[, MachineType[, Cycles, Cycles, Cycles]]])
	void Sequencer.writeCallback(Addr, DataBlock[, bool[, MachineType[, Cycles, Cycles, Cycles]]])
	void Sequencer.atomicCallback(Addr, DataBlock[, bool[, MachineType[, Cycles, Cycles, Cycles]]])
	void Sequencer.unaddressedCallback(Addr, RubyRequestType[, MachineType[, Cycles, Cycles, Cycles]])
	void Sequencer.writeUniqueCallback(Addr, DataBlock)
	void Sequencer.writeCallbackScFail(Addr, DataBlock)
	bool Sequencer.llscCheckMonitor(Addr)
	void Sequencer.llscClearLocalMonitor()
	void Sequencer|GPUCoalescer|VIPERCoalescer.evictionCallback(Addr)
	void Sequencer.invL1Callback()
	void Sequencer.checkCoherence(Addr)
	void Sequencer.invalidateSC(Addr)
	void Sequencer.recordRequestType(SequencerRequestType)
	void HTMSequencer.htmCallback(Addr, HtmCallbackMode, HtmFailedInCacheReason)

	void DMASequencer.ackCallback(Addr)
	void DMASequencer.dataCallback(DataBlock, Addr)
	void DMASequencer.atomicCallback(DataBlock, Addr)
	void DMASequencer.recordRequestType(CacheRequestType)

	void GPUCoalescer|VIPERCoalescer.readCallback(Addr, DataBlock)
	void GPUCoalescer|VIPERCoalescer.readCallback(Addr, MachineType, DataBlock[, Cycles, Cycles, Cycles[, bool]])
	void GPUCoalescer|VIPERCoalescer.writeCallback(Addr, DataBlock)
	void GPUCoalescer|VIPERCoalescer.writeCallback(Addr, MachineType, DataBlock[, Cycles, Cycles, Cycles[, bool]])
	void GPUCoalescer.recordCPReadCallBack(MachineID, MachineID)
	void GPUCoalescer.recordCPWriteCallBack(MachineID, MachineID)
	void VIPERCoalescer.atomicCallback(Addr, MachineType, DataBlock)
	void VIPERCoalescer.writeCompleteCallback(Addr, uint64_t)
	void VIPERCoalescer.invTCCCallback(Addr)
	void VIPERCoalescer.invTCPCallback(Addr)

	void RubyPrefetcher|Prefetcher.observeMiss(Addr, RubyRequestType)
	void RubyPrefetcher|Prefetcher.observePfHit(Addr)
	void RubyPrefetcher|Prefetcher.observePfMiss(Addr)
	void RubyPrefetcherProxy.notifyPfHit(RequestPtr, bool, DataBlock)
	void RubyPrefetcherProxy.notifyPfMiss(RequestPtr, bool, DataBlock)
	void RubyPrefetcherProxy.notifyPfFill(RequestPtr, DataBlock, bool)
	void RubyPrefetcherProxy.notifyPfEvict(Addr, bool, RequestorID)
	void RubyPrefetcherProxy.completePrefetch(Addr)
	void RubyPrefetcherProxy.regProbePoints()
`
