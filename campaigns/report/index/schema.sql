-- The index of campaigns: a SQLite database that ordeal campaign reindex makes
-- from the directories of campaigns. The directories are the truth: the index
-- may be deleted at any time and rebuilt.
--
-- Numbers in columns *_ns are nanoseconds, in columns *_s seconds. Dates are
-- text, ISO 8601 in UTC to the millisecond, as SQLite's date functions take
-- them. Ids belong to this file: the next index may have others. Tables hold
-- the facts; views, further down, answer the usual questions.

-- A campaign: one directory.
CREATE TABLE campaign (
  id INTEGER PRIMARY KEY,
  dir TEXT NOT NULL UNIQUE,    -- relative to the directory of this file, with slashes
  name TEXT NOT NULL,
  seed NOT NULL,               -- integer, but text beyond 9223372036854775807
  sim TEXT NOT NULL,           -- of configurations that do not name one
  shard TEXT NOT NULL,         -- i/n: the part of it that its directory has; '' for all
  planned INTEGER NOT NULL,    -- runs that its file asks for, of the shard
  started TEXT NOT NULL,
  elapsed_ns INTEGER NOT NULL, -- time spent on it, pauses left out
  ending TEXT NOT NULL,        -- complete, stopped, budget, interrupted, …; '' while it runs, or if it was killed
  command TEXT NOT NULL        -- the command line, a JSON array
);
CREATE INDEX campaign_seed ON campaign (seed);

-- A configuration of a campaign.
CREATE TABLE config (
  id INTEGER PRIMARY KEY,
  campaign INTEGER NOT NULL REFERENCES campaign,
  position INTEGER NOT NULL,   -- in the campaign's file, from 0
  name TEXT NOT NULL,
  sim TEXT NOT NULL,
  system TEXT NOT NULL,        -- the system under test: findings of different systems are different
  expect TEXT NOT NULL,        -- the model that the system promises
  planned INTEGER NOT NULL,    -- runs that the campaign's file asks for
  canary INTEGER NOT NULL,     -- 1: a bug is injected that some run should show; failed runs are no findings
  control INTEGER NOT NULL,    -- 1: a negative control, whose change no run can show; failed runs are findings
  needs INTEGER NOT NULL,      -- operations that the bug needs at least to show; 0: unknown
  whole INTEGER NOT NULL,      -- 1: its simulator also lists transitions that were never taken
  settings BLOB NOT NULL,      -- SHA-256 of all that its runs depend on: not of name, number of runs, models of classify
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

-- The normalised message of failed runs: the same for the same bug.
CREATE TABLE title (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
);

-- A run that finished.
CREATE TABLE run (
  campaign INTEGER NOT NULL REFERENCES campaign,
  number INTEGER NOT NULL,     -- with the campaign's seed, it seeds the program
  config INTEGER NOT NULL REFERENCES config,
  at_ns INTEGER NOT NULL,      -- when it was recorded, in time spent on the campaign
  outcome TEXT NOT NULL,       -- passed, violation, corrupt, crash, deadlock, timeout, infra
  failed INTEGER NOT NULL,     -- 1: a failure of the system under test
  finding INTEGER NOT NULL,    -- 1: it failed, and is no canary's
  caught INTEGER NOT NULL,     -- 1: it shows the bug of a canary
  title INTEGER REFERENCES title,
  recurred INTEGER,            -- a run of a batch that was repeated alone: 1 same result, 0 another; else null
  operations INTEGER NOT NULL, -- of its history
  simulated_ns INTEGER NOT NULL,
  check_ns INTEGER NOT NULL,  -- of checking all models, evidence included
  taken INTEGER,               -- transitions of the coherence protocol taken; null without one
  fresh INTEGER,               -- those that no earlier run of its configuration took
  dir TEXT,                    -- its directory in that of the campaign; null if it was not kept
  program BLOB NOT NULL,       -- SHA-256 of the program
  log BLOB,                    -- SHA-256 of the log; null without one
  PRIMARY KEY (campaign, number)
) WITHOUT ROWID;
CREATE INDEX run_finding ON run (config, number) WHERE finding;
CREATE INDEX run_caught ON run (config, number) WHERE caught;
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

-- The answer of a model about a run.
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
  UNIQUE (machine, state, event)
);

-- A transition of the runs of a configuration; also one that none took, where the
-- simulator lists the whole table. A run takes a transition that it executes or
-- stalls in.
CREATE TABLE coverage (
  config INTEGER NOT NULL REFERENCES config,
  position INTEGER NOT NULL,   -- in the order of the journal, from 0
  transition INTEGER NOT NULL REFERENCES transition,
  count INTEGER NOT NULL,      -- executions
  runs INTEGER NOT NULL,       -- that took it
  first INTEGER,               -- number of the first of them in the journal; null for none
  PRIMARY KEY (config, position)
) WITHOUT ROWID;
CREATE INDEX coverage_transition ON coverage (transition);

-- The runs of a configuration added up by outcome, because counting them in run
-- takes long over years of campaigns.
CREATE TABLE total (
  config INTEGER NOT NULL REFERENCES config,
  outcome TEXT NOT NULL,
  failed INTEGER NOT NULL,     -- 1: all of them failed; likewise the next two
  finding INTEGER NOT NULL,
  caught INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  operations INTEGER NOT NULL,
  simulated_ns INTEGER NOT NULL,
  check_ns INTEGER NOT NULL,
  PRIMARY KEY (config, outcome)
) WITHOUT ROWID;

-- Campaigns and their results, the latest first. Failed counts the runs of
-- findings, findings the different ones of them.
CREATE VIEW campaigns AS
SELECT c.id AS campaign, c.dir, c.name, c.seed, c.shard, c.started, c.elapsed_ns / 1e9 AS elapsed_s, c.ending, c.planned,
  t.runs, t.operations, t.failed, t.infra,
  (SELECT COUNT(*) FROM (SELECT DISTINCT f.system, f.control * f.id, r.outcome, r.title FROM config f JOIN run r ON r.config = f.id AND r.finding
    WHERE f.campaign = c.id)) AS findings,
  (SELECT COUNT(*) FROM config f WHERE f.campaign = c.id AND f.canary) AS canaries,
  (SELECT COUNT(*) FROM config f WHERE f.campaign = c.id AND f.canary
    AND EXISTS (SELECT 1 FROM run r WHERE r.config = f.id AND r.caught)) AS caught
FROM campaign c JOIN (
  SELECT c.id, COALESCE(SUM(t.runs), 0) AS runs, COALESCE(SUM(t.operations), 0) AS operations,
    COALESCE(SUM(t.runs * t.finding), 0) AS failed, COALESCE(SUM(t.runs * (t.outcome = 'infra')), 0) AS infra
  FROM campaign c LEFT JOIN config f ON f.campaign = c.id LEFT JOIN total t ON t.config = f.id GROUP BY c.id) t ON t.id = c.id
ORDER BY c.started DESC, c.dir;

-- Runs with names in place of ids, times in seconds, and their directories.
-- Ended is the campaign's start plus the time spent on it, without the pauses
-- before it was resumed.
CREATE VIEW runs AS
SELECT r.campaign, c.dir AS campaign_dir, c.name AS campaign_name, c.seed, r.number, f.name AS config,
  strftime('%Y-%m-%dT%H:%M:%fZ', c.started, printf('+%.3f seconds', r.at_ns / 1e9)) AS ended, r.at_ns / 1e9 AS at_s,
  r.outcome, r.failed, r.finding, r.caught, t.text AS title, r.recurred, r.operations,
  r.simulated_ns / 1e9 AS simulated_s, r.check_ns / 1e9 AS check_s, r.taken, r.fresh,
  lower(hex(r.program)) AS program, lower(hex(r.log)) AS log, -- of no log: ''
  c.dir || '/' || r.dir AS dir
FROM run r JOIN campaign c ON c.id = r.campaign JOIN config f ON f.id = r.config LEFT JOIN title t ON t.id = r.title;

-- Answers with names in place of ids.
CREATE VIEW answers AS
SELECT a.campaign, c.dir AS campaign_dir, a.number, f.name AS config, v.model, v.answer, v.procedure, v.reason,
  a.search_ns / 1e9 AS search_s, a.evidence_ns / 1e9 AS evidence_s
FROM answer a JOIN run r ON r.campaign = a.campaign AND r.number = a.number JOIN verdict v ON v.id = a.verdict
  JOIN campaign c ON c.id = a.campaign JOIN config f ON f.id = r.config;

-- Runs of findings, with the titles that summaries give them.
CREATE VIEW finding_run AS
SELECT r.outcome, CASE WHEN f.control THEN 'negative control ' || f.name || ' fails: ' ELSE '' END || COALESCE(t.text, '') AS title, f.system,
  r.campaign, c.dir AS campaign_dir, c.started, c.seed, r.number, f.id AS config_id, f.name AS config, f.sim, f.settings, r.program,
  strftime('%Y-%m-%dT%H:%M:%fZ', c.started, printf('+%.3f seconds', r.at_ns / 1e9)) AS ended, r.recurred, c.dir || '/' || r.dir AS dir
FROM config f JOIN campaign c ON c.id = f.campaign JOIN run r ON r.config = f.id AND r.finding LEFT JOIN title t ON t.id = r.title;

-- Findings, by outcome, title and system: in how many campaigns and runs, and
-- when. For missed canaries see canary.
CREATE VIEW finding AS
SELECT outcome, title, system, COUNT(DISTINCT campaign) AS campaigns, COUNT(*) AS runs, MIN(ended) AS first_seen, MAX(ended) AS last_seen
FROM finding_run GROUP BY outcome, title, system ORDER BY last_seen DESC, outcome, title, system;

-- Findings by campaign: in how many of the runs of a configuration, and in how
-- many of those that were repeated alone it recurred.
CREATE VIEW finding_history AS
SELECT campaign, campaign_dir, started, config, outcome, title, system, COUNT(*) AS runs,
  (SELECT SUM(t.runs) FROM total t WHERE t.config = config_id) AS of_runs,
  CAST(COUNT(*) AS REAL) / (SELECT SUM(t.runs) FROM total t WHERE t.config = config_id) AS rate,
  MIN(number) AS first_number, MAX(number) AS last_number, COUNT(recurred) AS alone, COALESCE(SUM(recurred), 0) AS recurred
FROM finding_run
GROUP BY config_id, outcome, title ORDER BY started DESC, campaign_dir, config_id, outcome, title;

-- Flaky findings: those that runs of one program, with the same settings, seed
-- and number, show in one campaign and not in another. Tries are the runs of the
-- programs that ever showed it, hits those of them that did. The embedded
-- simulator is deterministic: there it means that something has changed.
CREATE VIEW flaky_finding AS
SELECT s.outcome, s.title, s.system, s.sim, COUNT(*) AS tries, COUNT(h.number) AS hits, CAST(COUNT(h.number) AS REAL) / COUNT(*) AS rate
FROM (SELECT DISTINCT outcome, title, system, sim, seed, number, program, config, settings FROM finding_run) s
  JOIN campaign c ON c.seed = s.seed JOIN run r ON r.campaign = c.id AND r.number = s.number AND r.program = s.program AND r.outcome <> 'infra'
  JOIN config f ON f.id = r.config AND f.name = s.config AND f.settings = s.settings
  LEFT JOIN finding_run h ON h.campaign = r.campaign AND h.number = r.number AND h.config_id = r.config
    AND h.outcome = s.outcome AND h.title = s.title AND h.system = s.system
GROUP BY s.outcome, s.title, s.system, s.sim HAVING hits < tries ORDER BY rate, s.outcome, s.title, s.system;

-- Speed by campaign and configuration: of the simulator, and of checking.
CREATE VIEW throughput AS
SELECT c.id AS campaign, c.dir AS campaign_dir, c.started, f.name AS config, SUM(t.runs) AS runs, SUM(t.operations) AS operations,
  SUM(t.simulated_ns) / 1e9 AS simulated_s, SUM(t.check_ns) / 1e9 AS check_s,
  SUM(t.operations) * 1e9 / NULLIF(SUM(t.simulated_ns), 0) AS operations_per_s,
  CAST(SUM(t.check_ns) AS REAL) / NULLIF(SUM(t.operations), 0) AS check_ns_per_operation
FROM total t JOIN config f ON f.id = t.config JOIN campaign c ON c.id = f.campaign
GROUP BY f.id ORDER BY c.started DESC, c.dir, f.position;

-- Canaries and negative controls by campaign. Status is caught; missed: all runs
-- were made and none shows the bug; or pending: not yet decided. Of a negative
-- control it is survived, or killed if a run failed. The columns detection_* count up
-- to the first run, by number, that shows the bug: runs of the configuration,
-- their operations, and the time of simulation and checking; at_s is when the
-- first was recorded, in time spent on the campaign.
CREATE VIEW canary AS
SELECT c.id AS campaign, c.dir AS campaign_dir, c.started, f.name AS config, n.runs, n.operations, n.caught, n.otherwise,
  CASE WHEN f.control THEN CASE WHEN n.finding > 0 THEN 'killed' ELSE 'survived' END
    WHEN n.caught > 0 THEN 'caught'
    WHEN n.runs = f.planned AND n.infra = 0 AND n.operations >= f.needs THEN 'missed' ELSE 'pending' END AS status,
  d.first_number, d.detection_runs, d.detection_operations, d.detection_s, d.at_s
FROM config f JOIN campaign c ON c.id = f.campaign JOIN (
  SELECT f.id, COALESCE(SUM(t.runs), 0) AS runs, COALESCE(SUM(t.operations), 0) AS operations, COALESCE(SUM(t.runs * t.caught), 0) AS caught,
    COALESCE(SUM(t.runs * t.finding), 0) AS finding, COALESCE(SUM(t.runs * (t.failed AND NOT t.caught AND NOT t.finding)), 0) AS otherwise,
    COALESCE(SUM(t.runs * (t.outcome = 'infra')), 0) AS infra
  FROM config f LEFT JOIN total t ON t.config = f.id WHERE f.canary OR f.control GROUP BY f.id) n ON n.id = f.id
LEFT JOIN (
  SELECT r.config, e.first_number, e.at_s, COUNT(*) AS detection_runs, SUM(r.operations) AS detection_operations,
    SUM(r.simulated_ns + r.check_ns) / 1e9 AS detection_s
  FROM (SELECT r.campaign, r.config, MIN(r.number) AS first_number, MIN(r.at_ns) / 1e9 AS at_s
      FROM config f JOIN run r ON r.config = f.id AND r.caught GROUP BY r.config) e
    JOIN run r ON r.campaign = e.campaign AND r.number <= e.first_number AND r.config = e.config
  GROUP BY r.config) d ON d.config = f.id
ORDER BY c.started DESC, c.dir, f.position;

-- Coverage by campaign: how many of the transitions of the protocol of
-- a configuration were taken. Where the simulator lists only what was taken,
-- total and share are null. Last_new is the last run that took a new one.
CREATE VIEW coverage_history AS
SELECT c.id AS campaign, c.dir AS campaign_dir, c.started, f.name AS config, v.taken,
  CASE WHEN f.whole THEN v.total END AS total,
  CASE WHEN f.whole THEN CAST(v.taken AS REAL) / NULLIF(v.total, 0) END AS share,
  (SELECT r.number FROM coverage w JOIN run r ON r.campaign = c.id AND r.number = w.first WHERE w.config = f.id ORDER BY r.at_ns DESC, r.number DESC LIMIT 1) AS last_new
FROM (SELECT v.config, SUM(v.runs > 0) AS taken, COUNT(*) AS total
    FROM coverage v GROUP BY v.config) v
  JOIN config f ON f.id = v.config JOIN campaign c ON c.id = f.campaign
ORDER BY c.started DESC, c.dir, f.position;
