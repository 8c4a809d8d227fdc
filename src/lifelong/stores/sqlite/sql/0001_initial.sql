-- The schema of one owner's file. Canonical: session, message, memory, memory_parent,
-- memory_history, state, tombstone. Derived, rebuilt by `reindex`: message_index, passage_text,
-- memory_text, statistic.

-- One row each: 'generation' grows when rows are removed or renumbered, so that a process drops
-- what it holds in memory; 'retired' is set before the file of a forgotten owner is unlinked.
CREATE TABLE property (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO property (name, value) VALUES ('generation', 1), ('retired', 0);

CREATE TABLE session (
    no INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, so that columns cannot mix sessions
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL DEFAULT '',
    source TEXT NOT NULL DEFAULT '',
    metadata TEXT NOT NULL DEFAULT '{}',
    created_at INTEGER NOT NULL, -- all times: microseconds since 1970, UTC
    last_seq INTEGER NOT NULL DEFAULT 0 -- of the newest message: lists sessions without sorting all
);

CREATE TABLE message (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of the log; a clock never decides it
    session_no INTEGER NOT NULL REFERENCES session (no),
    id TEXT NOT NULL, -- the caller's; makes append idempotent inside its session
    role TEXT NOT NULL,
    trust INTEGER NOT NULL, -- what is derived from it can never rank above it
    speaker TEXT,
    sent_at INTEGER,
    recorded_at INTEGER NOT NULL,
    format TEXT NOT NULL, -- how to read the payload
    payload TEXT NOT NULL, -- the item as it came, JSON; parts are read from it, never stored
    UNIQUE (session_no, id)
);

CREATE INDEX message_by_session ON message (session_no); -- with seq, the order inside a session
CREATE INDEX message_by_id ON message (id); -- forget by id, parents of memories

CREATE TABLE memory (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    text_hash BLOB NOT NULL, -- of the folded text: the database decides on duplicates
    kind TEXT NOT NULL,
    namespace TEXT NOT NULL, -- JSON array of segments
    importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
    channel TEXT NOT NULL,
    source TEXT NOT NULL DEFAULT '',
    trust INTEGER NOT NULL, -- the least of the channel's and the parents', fixed at writing
    key TEXT,
    metadata TEXT NOT NULL DEFAULT '{}',
    recorded_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    valid_from INTEGER,
    valid_to INTEGER,
    expires_at INTEGER,
    superseded_by TEXT,
    superseded_at INTEGER,
    quarantined_at INTEGER,
    last_used_at INTEGER, -- recency counts from the last use
    uses INTEGER NOT NULL DEFAULT 0
);

CREATE UNIQUE INDEX memory_live_text ON memory (namespace, text_hash) WHERE superseded_by IS NULL;
CREATE INDEX memory_by_key ON memory (namespace, key) WHERE key IS NOT NULL;
CREATE INDEX memory_by_successor ON memory (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE memory_parent (
    memory_id TEXT NOT NULL,
    parent_id TEXT NOT NULL,
    parent_seq INTEGER, -- of a message: its id is unique only inside its session
    position INTEGER NOT NULL,
    PRIMARY KEY (memory_id, position)
) WITHOUT ROWID;

CREATE INDEX memory_parent_by_parent ON memory_parent (parent_id); -- forget follows the parents
CREATE INDEX memory_parent_by_message ON memory_parent (parent_seq) WHERE parent_seq IS NOT NULL;

CREATE TABLE memory_history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    change TEXT NOT NULL,
    text TEXT NOT NULL,
    metadata TEXT NOT NULL
);

CREATE INDEX memory_history_by_memory ON memory_history (memory_id);

CREATE TABLE state (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID;

-- "This id was forgotten then": no content. Keeps an import from bringing it back.
CREATE TABLE tombstone (
    what TEXT NOT NULL, -- 'message' or 'memory'
    session_id TEXT NOT NULL DEFAULT '',
    id TEXT NOT NULL,
    forgotten_at INTEGER NOT NULL,
    PRIMARY KEY (what, session_id, id)
) WITHOUT ROWID;

-- The only way that reads reach memories. lifelong_now() is the engine's clock, so expiry is
-- checked in every read and a test can move time.
CREATE VIEW memory_live AS
SELECT * FROM memory
WHERE superseded_by IS NULL
    AND quarantined_at IS NULL
    AND (expires_at IS NULL OR expires_at > lifelong_now())
    AND (valid_to IS NULL OR valid_to > lifelong_now());

-- Narrow, so that the columns of 100,000 messages load in a blink.
CREATE TABLE message_index (
    seq INTEGER PRIMARY KEY,
    session_no INTEGER NOT NULL,
    role INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    day INTEGER NOT NULL,
    words INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    question REAL NOT NULL,
    passages INTEGER NOT NULL,
    passage_words INTEGER NOT NULL
);

-- Marks belong to words: without them a word of Hindi or Thaana falls apart. Private-use characters
-- (Co), as which this tokenizer also counts every newer emoji, do not.
-- Row ids are postings (see ports): they carry message, passage and length, so that the term
-- tables below answer a query without touching any row.
CREATE VIRTUAL TABLE passage_text USING fts5 (
    text,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* M*'"
);
INSERT INTO passage_text (passage_text, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE passage_term USING fts5vocab (passage_text, 'instance');
CREATE VIRTUAL TABLE passage_frequency USING fts5vocab (passage_text, 'row');

CREATE VIRTUAL TABLE memory_text USING fts5 (
    text,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* M*'"
);
INSERT INTO memory_text (memory_text, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE memory_term USING fts5vocab (memory_text, 'instance');
CREATE VIRTUAL TABLE memory_frequency USING fts5vocab (memory_text, 'row');

-- Totals that ranking divides by, kept in the transaction that changes them.
CREATE TABLE statistic (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO statistic (name, value)
VALUES ('memory_passages', 0), ('memory_words', 0);
