-- The index of campaigns: a SQLite database that ordeal campaign reindex makes
-- of campaign directories. The directories are the truth; the index may be
-- deleted at any time and is made again of them.
--
-- Numbers in columns *_ns are nanoseconds, in columns *_s seconds. Dates are
-- text, ISO 8601 in UTC to the millisecond, as SQLite's date functions take
-- them. Ids are those of this file: the next index may have others. Tables hold
-- what happened; views, further down, answer the usual questions.

-- A campaign: one directory, often one night.
CREATE TABLE campaign (
  id INTEGER PRIMARY KEY,
  dir TEXT NOT NULL UNIQUE,    -- relative to the directory of this file, with slashes
  name TEXT NOT NULL,
  seed NOT NULL,               -- integer, but text beyond 9223372036854775807
  sim TEXT NOT NULL,           -- of configurations that name no other
  planned INTEGER NOT NULL,    -- runs that its file asks for
  started TEXT NOT NULL,
  session TEXT NOT NULL,       -- start of the last session; started, if never resumed
  spent_ns INTEGER NOT NULL,   -- time spent on it by sessions before that
  elapsed_ns INTEGER NOT NULL, -- time spent on it until its last run ended
  command TEXT NOT NULL        -- the command line, a JSON array
);
CREATE INDEX campaign_seed ON campaign (seed);

-- A kind of run of a campaign.
CREATE TABLE config (
  id INTEGER PRIMARY KEY,
  campaign INTEGER NOT NULL REFERENCES campaign,
  position INTEGER NOT NULL,   -- in the campaign's file, from 0
  name TEXT NOT NULL,
  sim TEXT NOT NULL,
  expect TEXT NOT NULL,        -- the model that is promised
  planned INTEGER NOT NULL,
  canary INTEGER NOT NULL,     -- 1: a fault is planted, so that its failed runs are no findings
  equivalent INTEGER NOT NULL, -- 1: a canary whose fault nothing can show
  whole INTEGER NOT NULL,      -- 1: its simulator tells of transitions never taken, too
  settings BLOB NOT NULL,      -- SHA-256 of all that makes its runs, name and number of them left out
  json TEXT NOT NULL,          -- all of it, for json_extract
  UNIQUE (campaign, name)
);

-- The version of a tool that a campaign used.
CREATE TABLE tool (
  campaign INTEGER NOT NULL REFERENCES campaign,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  PRIMARY KEY (campaign, name)
) WITHOUT ROWID;

-- What runs that went wrong said, normalised: the same for the same bug.
CREATE TABLE title (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
);

-- A run that ended.
CREATE TABLE run (
  campaign INTEGER NOT NULL REFERENCES campaign,
  number INTEGER NOT NULL,     -- with the campaign's seed, it seeds the program
  config INTEGER NOT NULL REFERENCES config,
  at_ns INTEGER NOT NULL,      -- when it ended, in time spent on the campaign
  outcome TEXT NOT NULL,       -- passed, violation, corrupt, crash, deadlock, timeout, infra
  failed INTEGER NOT NULL,     -- 1: the outcome says something about the system under test
  title INTEGER REFERENCES title,
  recurred INTEGER,            -- of a run of a batch made again alone: 1 it did the same, 0 not; else null
  operations INTEGER NOT NULL, -- of its history
  simulated_ns INTEGER NOT NULL,
  judged_ns INTEGER NOT NULL,  -- by all models, evidence included
  taken INTEGER,               -- transitions of the coherence protocol taken; null without one
  fresh INTEGER,               -- those that no run before it of its configuration took
  kept INTEGER NOT NULL,       -- 1: its directory stays
  program BLOB NOT NULL,       -- SHA-256 of the program
  log BLOB,                    -- SHA-256 of the log; null without one
  PRIMARY KEY (campaign, number)
) WITHOUT ROWID;
CREATE INDEX run_failed ON run (config, number) WHERE failed;
CREATE INDEX run_title ON run (title) WHERE title IS NOT NULL;

-- An answer that models give.
CREATE TABLE verdict (
  id INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  answer TEXT NOT NULL,        -- allowed, forbidden, unknown
  procedure TEXT NOT NULL,     -- that found it; '' for none
  reason TEXT NOT NULL,        -- of unknown; else ''
  UNIQUE (model, answer, procedure, reason)
);

-- The answer of a model on a run.
CREATE TABLE answer (
  campaign INTEGER NOT NULL,
  number INTEGER NOT NULL,
  verdict INTEGER NOT NULL REFERENCES verdict,
  search_ns INTEGER NOT NULL,
  evidence_ns INTEGER NOT NULL,
  PRIMARY KEY (campaign, number, verdict),
  FOREIGN KEY (campaign, number) REFERENCES run
) WITHOUT ROWID;

-- A row of the table of a coherence protocol.
CREATE TABLE transition (
  id INTEGER PRIMARY KEY,
  machine TEXT NOT NULL,
  state TEXT NOT NULL,
  event TEXT NOT NULL,
  unreachable TEXT NOT NULL,   -- why no run takes it; '' where none is known not to
  UNIQUE (machine, state, event, unreachable)
);

-- How often the runs of a configuration took a transition, those never taken
-- among them where the simulator knows the whole table.
CREATE TABLE coverage (
  config INTEGER NOT NULL REFERENCES config,
  position INTEGER NOT NULL,   -- in the order of being named by the journal, from 0
  transition INTEGER NOT NULL REFERENCES transition,
  count INTEGER NOT NULL,
  runs INTEGER NOT NULL,       -- that took it
  first INTEGER,               -- number of the first of them to end; null for none
  PRIMARY KEY (config, position)
) WITHOUT ROWID;
CREATE INDEX coverage_transition ON coverage (transition);

-- The runs of a configuration added up by outcome: what could be counted in
-- run, but over years of nights.
CREATE TABLE total (
  config INTEGER NOT NULL REFERENCES config,
  outcome TEXT NOT NULL,
  failed INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  operations INTEGER NOT NULL,
  simulated_ns INTEGER NOT NULL,
  judged_ns INTEGER NOT NULL,
  PRIMARY KEY (config, outcome)
) WITHOUT ROWID;

-- What was read of a campaign's directory, so that what has not changed since
-- is not read again.
CREATE TABLE source (
  campaign INTEGER PRIMARY KEY REFERENCES campaign,
  file BLOB NOT NULL,          -- SHA-256 of campaign.yaml and campaign.json
  size INTEGER NOT NULL,       -- of runs.jsonl when it was opened
  changed_ns INTEGER NOT NULL, -- its time of change (ctime), since 1970
  bytes INTEGER NOT NULL,      -- read of it: whole lines
  journal BLOB NOT NULL        -- SHA-256 of those
);

-- Campaigns and what came of them, the last one first.
CREATE VIEW campaigns AS
SELECT c.id AS campaign, c.dir, c.name, c.seed, c.started, c.elapsed_ns / 1e9 AS elapsed_s, c.planned,
  t.runs, t.operations, t.failed,
  (SELECT COUNT(DISTINCT r.outcome || ' ' || COALESCE(r.title, '')) FROM config f JOIN run r ON r.config = f.id AND r.failed
    WHERE f.campaign = c.id AND NOT f.canary) AS findings,
  (SELECT COUNT(*) FROM config f WHERE f.campaign = c.id AND f.canary AND NOT f.equivalent) AS canaries,
  (SELECT COUNT(*) FROM config f WHERE f.campaign = c.id AND f.canary AND NOT f.equivalent
    AND EXISTS (SELECT 1 FROM run r WHERE r.config = f.id AND r.failed)) AS caught
FROM campaign c JOIN (
  SELECT c.id, COALESCE(SUM(t.runs), 0) AS runs, COALESCE(SUM(t.operations), 0) AS operations,
    COALESCE(SUM(t.runs * (t.failed AND NOT f.canary)), 0) AS failed
  FROM campaign c LEFT JOIN config f ON f.campaign = c.id LEFT JOIN total t ON t.config = f.id GROUP BY c.id) t ON t.id = c.id
ORDER BY c.started DESC, c.dir;

-- Runs with names in place of ids, times in seconds, and their directories.
-- Ended is exact for the last session of a campaign; for earlier ones of a
-- campaign that was resumed it leaves out the pauses.
CREATE VIEW runs AS
SELECT r.campaign, c.dir AS campaign_dir, c.name AS campaign_name, c.seed, r.number, f.name AS config, f.canary,
  CASE WHEN r.at_ns >= c.spent_ns THEN strftime('%Y-%m-%dT%H:%M:%fZ', c.session, printf('+%.3f seconds', (r.at_ns - c.spent_ns) / 1e9))
    ELSE strftime('%Y-%m-%dT%H:%M:%fZ', c.started, printf('+%.3f seconds', r.at_ns / 1e9)) END AS ended,
  r.at_ns / 1e9 AS at_s, r.outcome, r.failed, t.text AS title, r.recurred, r.operations,
  r.simulated_ns / 1e9 AS simulated_s, r.judged_ns / 1e9 AS judged_s, r.taken, r.fresh, r.kept,
  lower(hex(r.program)) AS program, lower(hex(r.log)) AS log, -- of no log: ''
  CASE WHEN r.kept THEN c.dir || printf('/%06d', r.number) END AS dir
FROM run r JOIN campaign c ON c.id = r.campaign JOIN config f ON f.id = r.config LEFT JOIN title t ON t.id = r.title;

-- Answers with names in place of ids.
CREATE VIEW answers AS
SELECT a.campaign, c.dir AS campaign_dir, a.number, f.name AS config, v.model, v.answer, v.procedure, v.reason,
  a.search_ns / 1e9 AS search_s, a.evidence_ns / 1e9 AS evidence_s
FROM answer a JOIN run r ON r.campaign = a.campaign AND r.number = a.number JOIN verdict v ON v.id = a.verdict
  JOIN campaign c ON c.id = a.campaign JOIN config f ON f.id = r.config;

-- Runs that are findings: they failed, and no fault was planted.
CREATE VIEW finding_run AS
SELECT r.outcome, COALESCE(r.title, '') AS title, r.campaign, r.campaign_dir, r.seed, r.number, r.config, r.ended, r.recurred, r.dir
FROM runs r WHERE r.failed AND NOT r.canary;

-- Findings, by outcome and title: in how many campaigns and runs, and when.
CREATE VIEW finding AS
SELECT outcome, title, COUNT(DISTINCT campaign) AS campaigns, COUNT(*) AS runs, MIN(ended) AS first_seen, MAX(ended) AS last_seen
FROM finding_run GROUP BY outcome, title ORDER BY last_seen DESC, outcome, title;

-- Findings night by night: in how many of the runs of a configuration, and in
-- how many of those that were made again alone it recurred.
CREATE VIEW finding_night AS
SELECT c.id AS campaign, c.dir AS campaign_dir, c.started, f.name AS config, r.outcome, COALESCE(t.text, '') AS title, COUNT(*) AS runs,
  (SELECT SUM(runs) FROM total WHERE config = f.id) AS of_runs,
  CAST(COUNT(*) AS REAL) / (SELECT SUM(runs) FROM total WHERE config = f.id) AS rate,
  MIN(r.number) AS first_number, COUNT(r.recurred) AS alone, COALESCE(SUM(r.recurred), 0) AS recurred
FROM config f JOIN campaign c ON c.id = f.campaign JOIN run r ON r.config = f.id AND r.failed LEFT JOIN title t ON t.id = r.title
WHERE NOT f.canary
GROUP BY f.id, r.outcome, t.text ORDER BY c.started DESC, c.dir, f.position, r.outcome, t.text;

-- Findings that come and go: those that some of the runs of one program, with
-- the same settings, seed and number, show in one campaign and not in another.
-- Tries are the runs of the programs that ever showed it, hits those of them
-- that did.
CREATE VIEW flaky_finding AS
SELECT s.outcome, COALESCE(t.text, '') AS title, COUNT(*) AS tries,
  SUM(r.failed AND r.outcome = s.outcome AND r.title IS s.title) AS hits,
  CAST(SUM(r.failed AND r.outcome = s.outcome AND r.title IS s.title) AS REAL) / COUNT(*) AS rate
FROM (SELECT DISTINCT r.outcome, r.title, c.seed, r.number, r.program, f.name, f.settings
    FROM config f JOIN campaign c ON c.id = f.campaign JOIN run r ON r.config = f.id AND r.failed WHERE NOT f.canary) s
  JOIN campaign c ON c.seed = s.seed JOIN run r ON r.campaign = c.id AND r.number = s.number AND r.program = s.program
  JOIN config f ON f.id = r.config AND f.name = s.name AND f.settings = s.settings
  LEFT JOIN title t ON t.id = s.title
WHERE r.outcome <> 'infra'
GROUP BY s.outcome, s.title HAVING hits < tries ORDER BY rate, s.outcome, t.text;

-- Speed night by night, by configuration: of the simulator, and of judging.
CREATE VIEW throughput AS
SELECT c.id AS campaign, c.dir AS campaign_dir, c.started, f.name AS config, SUM(t.runs) AS runs, SUM(t.operations) AS operations,
  SUM(t.simulated_ns) / 1e9 AS simulated_s, SUM(t.judged_ns) / 1e9 AS judged_s,
  SUM(t.operations) * 1e9 / NULLIF(SUM(t.simulated_ns), 0) AS operations_per_s,
  CAST(SUM(t.judged_ns) AS REAL) / NULLIF(SUM(t.operations), 0) AS judged_ns_per_operation
FROM total t JOIN config f ON f.id = t.config JOIN campaign c ON c.id = f.campaign
GROUP BY f.id ORDER BY c.started DESC, c.dir, f.position;

-- Canaries night by night. Status is caught; missed, though runs were made; not
-- run; or equivalent where nothing can show the fault and nothing did.
-- Detection is up to the first run, by number, that failed: the runs of the
-- configuration, their operations, and the time of simulating and judging them;
-- at_s is when the first to end did, in time spent on the campaign.
CREATE VIEW canary AS
SELECT c.id AS campaign, c.dir AS campaign_dir, c.started, f.name AS config, n.runs, n.caught,
  CASE WHEN n.caught > 0 THEN 'caught' WHEN f.equivalent THEN 'equivalent' WHEN n.runs > 0 THEN 'missed' ELSE 'not run' END AS status,
  d.first_number, d.detection_runs, d.detection_operations, d.detection_s, d.at_s
FROM config f JOIN campaign c ON c.id = f.campaign JOIN (
  SELECT f.id, COALESCE(SUM(t.runs), 0) AS runs, COALESCE(SUM(t.runs * t.failed), 0) AS caught
  FROM config f LEFT JOIN total t ON t.config = f.id GROUP BY f.id) n ON n.id = f.id
LEFT JOIN (
  SELECT r.config, e.first_number, e.at_s, COUNT(*) AS detection_runs, SUM(r.operations) AS detection_operations,
    SUM(r.simulated_ns + r.judged_ns) / 1e9 AS detection_s
  FROM (SELECT r.campaign, r.config, MIN(r.number) AS first_number, MIN(r.at_ns) / 1e9 AS at_s
      FROM config f JOIN run r ON r.config = f.id AND r.failed WHERE f.canary GROUP BY r.config) e
    JOIN run r ON r.campaign = e.campaign AND r.number <= e.first_number AND r.config = e.config
  GROUP BY r.config) d ON d.config = f.id
WHERE f.canary ORDER BY c.started DESC, c.dir, f.position;

-- Coverage night by night: how many of the reachable transitions of the
-- protocol of a configuration were taken. Where the simulator lists only what
-- was taken, reachable and share are null. Last_new is the run that took a new
-- one last.
CREATE VIEW coverage_night AS
SELECT c.id AS campaign, c.dir AS campaign_dir, c.started, f.name AS config, v.taken,
  CASE WHEN f.whole THEN v.reachable END AS reachable,
  CASE WHEN f.whole THEN CAST(v.taken_reachable AS REAL) / NULLIF(v.reachable, 0) END AS share,
  (SELECT r.number FROM coverage w JOIN run r ON r.campaign = c.id AND r.number = w.first WHERE w.config = f.id ORDER BY r.at_ns DESC, r.number DESC LIMIT 1) AS last_new
FROM (SELECT v.config, SUM(v.count > 0) AS taken, SUM(t.unreachable = '') AS reachable,
      SUM(v.count > 0 AND t.unreachable = '') AS taken_reachable
    FROM coverage v JOIN transition t ON t.id = v.transition GROUP BY v.config) v
  JOIN config f ON f.id = v.config JOIN campaign c ON c.id = f.campaign
ORDER BY c.started DESC, c.dir, f.position;
