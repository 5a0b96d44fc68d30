-- The protocol of msi.sm, written by hand from its description, without data. A
-- rule is one message, or one access of a core, and what follows from it without
-- another message.
const
  CACHES: 2;

type
  cache: scalarset(CACHES);
  access: enum { Load, Store };
  state: enum { I, S, M, IS, IM, SM };
  home: enum { HomeI, HomeS, HomeM, HomeB };
  order: enum { Data, Inv, Recall };
  -- every copy of a message names all its destinations, as in gem5
  caches: array [cache] of boolean;
  orderMsg: record kind: order; destinations: caches; end;

var
  c: array [cache] of record
    state: state;
    -- on their way to the directory, and from it
    asked: boolean;
    store: boolean;
    answers: boolean;
    dirty: boolean;
    orders: array [0..1] of orderMsg;
    nOrders: 0..2;
  end;
  home_: record
    state: home;
    sharers: caches;
    -- while answers are on their way
    requestor: cache;
    shared: boolean;
    answers: 0..CACHES;
    -- the request that has arrived and cannot be served yet
    stalls: boolean;
    from: cache;
    store: boolean;
  end;

procedure send(i: cache; m: orderMsg);
begin
  assert c[i].nOrders < 2 "a queue of orders is full";
  c[i].orders[c[i].nOrders] := m;
  c[i].nOrders := c[i].nOrders + 1;
end;

procedure sendData(i: cache);
var m: orderMsg;
begin
  m.kind := Data;
  for j: cache do
    m.destinations[j] := i = j;
  end;
  send(i, m);
end;

-- All that have a copy are to give it up for a cache.
procedure begin_(o: order; i: cache; store: boolean);
var m: orderMsg;
begin
  m.kind := o;
  m.destinations := home_.sharers;
  home_.answers := 0;
  for j: cache do
    if home_.sharers[j] then
      send(j, m);
      home_.sharers[j] := false;
      home_.answers := home_.answers + 1;
    end;
  end;
  home_.requestor := i;
  home_.shared := !store;
  home_.state := HomeB;
end;

procedure serve(i: cache; store: boolean);
begin
  switch home_.state
  case HomeI:
    sendData(i);
    home_.sharers[i] := true;
    if store then home_.state := HomeM; else home_.state := HomeS; end;
  case HomeS:
    if store then
      begin_(Inv, i, store);
    else
      sendData(i);
      home_.sharers[i] := true;
    end;
  case HomeM:
    begin_(Recall, i, store);
  case HomeB:
    home_.stalls := true;
    home_.from := i;
    home_.store := store;
  end;
end;

startstate
begin
  undefine c;
  undefine home_;
  for i: cache do
    c[i].state := I;
    c[i].asked := false;
    c[i].answers := false;
    c[i].nOrders := 0;
    home_.sharers[i] := false;
  end;
  home_.state := HomeI;
  home_.stalls := false;
end;

ruleset i: cache; kind: access do
  rule "a core starts an access"
    c[i].state = I | c[i].state = S | c[i].state = M ==>
  begin
    if c[i].state = I | c[i].state = S & kind = Store then
      if c[i].state = S then
        c[i].state := SM;
      elsif kind = Store then
        c[i].state := IM;
      else
        c[i].state := IS;
      end;
      c[i].asked := true;
      c[i].store := kind = Store;
    end;
  end;
end;

ruleset i: cache do
  rule "a request arrives"
    c[i].asked & !home_.stalls ==>
  var store: boolean;
  begin
    store := c[i].store;
    c[i].asked := false;
    undefine c[i].store;
    serve(i, store);
  end;

  rule "an order arrives"
    c[i].nOrders > 0 ==>
  var o: order;
  begin
    o := c[i].orders[0].kind;
    c[i].orders[0] := c[i].orders[1];
    undefine c[i].orders[1];
    c[i].nOrders := c[i].nOrders - 1;
    switch o
    case Data:
      assert c[i].state = IS | c[i].state = IM | c[i].state = SM "data that no one waits for";
      if c[i].state = IS then c[i].state := S; else c[i].state := M; end;
    case Inv:
      assert c[i].state = S | c[i].state = SM "nothing to invalidate";
      if c[i].state = S then c[i].state := I; else c[i].state := IM; end;
      c[i].answers := true;
      c[i].dirty := false;
    case Recall:
      assert c[i].state = M "nothing to recall";
      c[i].state := I;
      c[i].answers := true;
      c[i].dirty := true;
    end;
  end;

  rule "an answer arrives"
    c[i].answers ==>
  var requestor: cache; store: boolean;
  begin
    c[i].answers := false;
    undefine c[i].dirty;
    home_.answers := home_.answers - 1;
    if home_.answers = 0 then
      requestor := home_.requestor;
      if home_.shared then home_.state := HomeS; else home_.state := HomeM; end;
      sendData(requestor);
      home_.sharers[requestor] := true;
      undefine home_.requestor;
      undefine home_.shared;
      undefine home_.answers;
      if home_.stalls then
        requestor := home_.from;
        store := home_.store;
        home_.stalls := false;
        undefine home_.from;
        undefine home_.store;
        serve(requestor, store);
      end;
    end;
  end;
end;

invariant "one writer"
  forall i: cache do
    forall j: cache do
      c[i].state = M & i != j -> c[j].state != M & c[j].state != S & c[j].state != SM
    end
  end;
