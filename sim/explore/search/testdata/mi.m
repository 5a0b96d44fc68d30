-- The protocol MI_example of Ordeal, written by hand from its description in
-- SLICC, without data: two or three caches of one line each, one directory, and
-- a memory that answers in the order of the requests. A rule is one message, or
-- one access of a core, and what follows from it without another message.
const
  CACHES: 2;
  LINES: 2;
  QUEUE: 4;

type
  cache: scalarset(CACHES);
  line: scalarset(LINES);
  access: enum { Load, Store };
  entry: enum { None, IS, IM, M };
  putState: enum { NoPut, PutMI, PutMII, PutII };
  home: enum { HomeNew, HomeI, HomeM, HomeIM, HomeMI };
  request: enum { GETX, PUTX };
  forward: enum { Fwd, Ack, Nack };

  requestMsg: record kind: request; addr: line; end;
  forwardMsg: record kind: forward; addr: line; requestor: cache; end;
  waitingMsg: record addr: line; requestor: cache; end;
  memoryMsg: record write: boolean; addr: line; requestor: cache; end;

  controller: record
    entries: array [line] of entry;
    puts: array [line] of putState;
    -- the access that waits for a put of its line to end
    waits: boolean;
    waitLine: line;
    waitKind: access;
    -- the forward that waits for the data of its line
    held: boolean;
    heldRequestor: cache;
    -- from the directory, and the data on its way from it and from the others
    forwards: array [0..QUEUE-1] of forwardMsg;
    nForwards: 0..QUEUE;
    dataFromHome: boolean;
    dataFromHomeLine: line;
    dataFrom: array [cache] of boolean;
    dataFromLine: array [cache] of line;
    -- to the directory
    requests: array [0..QUEUE-1] of requestMsg;
    nRequests: 0..QUEUE;
  end;

  directory: record
    state: home;
    owner: cache;
  end;

var
  c: array [cache] of controller;
  d: array [line] of directory;
  -- requests that wait for memory, in the order in which they came
  waiting: array [0..CACHES-1] of waitingMsg;
  nWaiting: 0..CACHES;
  memory: array [0..QUEUE-1] of memoryMsg;
  nMemory: 0..QUEUE;

procedure sendRequest(from: cache; kind: request; addr: line);
begin
  assert c[from].nRequests < QUEUE "a queue of requests is full";
  c[from].requests[c[from].nRequests].kind := kind;
  c[from].requests[c[from].nRequests].addr := addr;
  c[from].nRequests := c[from].nRequests + 1;
end;

procedure sendForward(to_: cache; kind: forward; addr: line; requestor: cache);
begin
  assert c[to_].nForwards < QUEUE "a queue of forwards is full";
  c[to_].forwards[c[to_].nForwards].kind := kind;
  c[to_].forwards[c[to_].nForwards].addr := addr;
  c[to_].forwards[c[to_].nForwards].requestor := requestor;
  c[to_].nForwards := c[to_].nForwards + 1;
end;

procedure sendData(from: cache; to_: cache; addr: line);
begin
  assert !c[to_].dataFrom[from] "two data on one channel";
  c[to_].dataFrom[from] := true;
  c[to_].dataFromLine[from] := addr;
end;

-- A request of the core reaches the cache.
procedure perform(i: cache; addr: line; kind: access);
begin
  if c[i].entries[addr] = M then
    return;
  end;
  for victim: line do
    if c[i].entries[victim] = M then
      sendRequest(i, PUTX, victim);
      c[i].puts[victim] := PutMI;
      c[i].entries[victim] := None;
    end;
  end;
  if c[i].puts[addr] != NoPut then
    c[i].waits := true;
    c[i].waitLine := addr;
    c[i].waitKind := kind;
    return;
  end;
  if kind = Load then
    c[i].entries[addr] := IS;
  else
    c[i].entries[addr] := IM;
  end;
  sendRequest(i, GETX, addr);
end;

procedure endPut(i: cache; addr: line);
var kind: access;
begin
  c[i].puts[addr] := NoPut;
  if c[i].waits & c[i].waitLine = addr then
    kind := c[i].waitKind;
    c[i].waits := false;
    undefine c[i].waitLine;
    undefine c[i].waitKind;
    perform(i, addr, kind);
  end;
end;

procedure receiveData(i: cache; addr: line);
begin
  assert c[i].entries[addr] = IS | c[i].entries[addr] = IM "data that no one waits for";
  c[i].entries[addr] := M;
  if c[i].held then
    c[i].held := false;
    c[i].entries[addr] := None;
    sendData(i, c[i].heldRequestor, addr);
    undefine c[i].heldRequestor;
  end;
end;

procedure receiveForward(i: cache; kind: forward; addr: line; requestor: cache);
begin
  switch kind
  case Fwd:
    if c[i].puts[addr] = PutMI then
      sendData(i, requestor, addr);
      c[i].puts[addr] := PutII;
    elsif c[i].puts[addr] = PutMII then
      sendData(i, requestor, addr);
      endPut(i, addr);
    elsif c[i].entries[addr] = M then
      sendData(i, requestor, addr);
      c[i].entries[addr] := None;
    else
      assert c[i].entries[addr] != None "a forward of a line that is not here";
      assert !c[i].held "a second forward";
      c[i].held := true;
      c[i].heldRequestor := requestor;
    end;
  case Ack:
    assert c[i].puts[addr] = PutMI "an acknowledgement without a put";
    endPut(i, addr);
  case Nack:
    if c[i].puts[addr] = PutMI then
      c[i].puts[addr] := PutMII;
    else
      assert c[i].puts[addr] = PutII "a refusal without a put";
      endPut(i, addr);
    end;
  end;
end;

procedure askMemory(write: boolean; addr: line; requestor: cache);
begin
  assert nMemory < QUEUE "the queue of memory is full";
  memory[nMemory].write := write;
  memory[nMemory].addr := addr;
  memory[nMemory].requestor := requestor;
  nMemory := nMemory + 1;
end;

procedure receiveGETX(addr: line; from: cache);
begin
  switch d[addr].state
  case HomeNew, HomeI:
    d[addr].state := HomeIM;
    askMemory(false, addr, from);
  case HomeM:
    sendForward(d[addr].owner, Fwd, addr, from);
    d[addr].owner := from;
  else
    assert nWaiting < CACHES "too many requests wait";
    waiting[nWaiting].addr := addr;
    waiting[nWaiting].requestor := from;
    nWaiting := nWaiting + 1;
  end;
end;

procedure receivePUTX(addr: line; from: cache);
begin
  if d[addr].state = HomeM & d[addr].owner = from then
    d[addr].state := HomeMI;
    askMemory(true, addr, from);
  else
    sendForward(from, Nack, addr, from);
  end;
end;

-- What has waited for memory is received again, in order.
procedure wake(addr: line);
var
  list: array [0..CACHES-1] of waitingMsg;
  n: 0..CACHES;
begin
  n := nWaiting;
  for k := 0 to CACHES-1 do
    if k < n then
      list[k] := waiting[k];
      undefine waiting[k];
    end;
  end;
  nWaiting := 0;
  for k := 0 to CACHES-1 do
    if k < n then
      if list[k].addr = addr then
        receiveGETX(addr, list[k].requestor);
      else
        waiting[nWaiting] := list[k];
        nWaiting := nWaiting + 1;
      end;
    end;
  end;
end;

startstate
begin
  undefine c;
  undefine d;
  undefine memory;
  nMemory := 0;
  undefine waiting;
  nWaiting := 0;
  for i: cache do
    for l: line do
      c[i].entries[l] := None;
      c[i].puts[l] := NoPut;
    end;
    for j: cache do
      c[i].dataFrom[j] := false;
    end;
    c[i].waits := false;
    c[i].held := false;
    c[i].nForwards := 0;
    c[i].dataFromHome := false;
    c[i].nRequests := 0;
  end;
  for l: line do
    d[l].state := HomeNew;
  end;
end;

ruleset i: cache; l: line; kind: access do
  rule "a core starts an access"
    !c[i].waits & forall k: line do c[i].entries[k] = None | c[i].entries[k] = M end ==>
  begin
    perform(i, l, kind);
  end;
end;

ruleset i: cache do
  rule "a request arrives"
    c[i].nRequests > 0 ==>
  var m: requestMsg;
  begin
    m := c[i].requests[0];
    for k := 0 to QUEUE-2 do
      c[i].requests[k] := c[i].requests[k+1];
    end;
    undefine c[i].requests[QUEUE-1];
    c[i].nRequests := c[i].nRequests - 1;
    if m.kind = GETX then
      receiveGETX(m.addr, i);
    else
      receivePUTX(m.addr, i);
    end;
  end;

  -- The directory sends answers to puts with a shorter delay than forwards, so
  -- that they overtake forwards, and nothing else overtakes anything.
  ruleset at: 0..QUEUE-1 do
    rule "a forward arrives"
      c[i].nForwards > at & (at = 0 | c[i].forwards[at].kind != Fwd &
        forall k: 0..QUEUE-1 do k >= at | c[i].forwards[k].kind = Fwd end) ==>
    var m: forwardMsg;
    begin
      m := c[i].forwards[at];
      for k := 0 to QUEUE-2 do
        if k >= at then
          c[i].forwards[k] := c[i].forwards[k+1];
        end;
      end;
      undefine c[i].forwards[QUEUE-1];
      c[i].nForwards := c[i].nForwards - 1;
      receiveForward(i, m.kind, m.addr, m.requestor);
    end;
  end;

  rule "data arrives from the directory"
    c[i].dataFromHome ==>
  var l: line;
  begin
    l := c[i].dataFromHomeLine;
    c[i].dataFromHome := false;
    undefine c[i].dataFromHomeLine;
    receiveData(i, l);
  end;
end;

ruleset i: cache; j: cache do
  rule "data arrives from a cache"
    c[i].dataFrom[j] ==>
  var l: line;
  begin
    l := c[i].dataFromLine[j];
    c[i].dataFrom[j] := false;
    undefine c[i].dataFromLine[j];
    receiveData(i, l);
  end;
end;

rule "memory answers"
  nMemory > 0 ==>
var m: memoryMsg;
begin
  m := memory[0];
  for k := 0 to QUEUE-2 do
    memory[k] := memory[k+1];
  end;
  undefine memory[QUEUE-1];
  nMemory := nMemory - 1;
  if m.write then
    d[m.addr].state := HomeI;
    sendForward(m.requestor, Ack, m.addr, m.requestor);
    undefine d[m.addr].owner;
  else
    d[m.addr].state := HomeM;
    d[m.addr].owner := m.requestor;
    c[m.requestor].dataFromHome := true;
    c[m.requestor].dataFromHomeLine := m.addr;
  end;
  wake(m.addr);
end;

invariant "one writer"
  forall l: line do
    forall i: cache do
      forall j: cache do
        c[i].entries[l] = M & c[j].entries[l] = M -> i = j
      end
    end
  end;
