-- What was forgotten, as the database counted it; what may not be forgotten; what is kept how long.

-- No content. 'completed_at' is set once no old page is left in the WAL; an owner that is forgotten
-- whole leaves its last receipt here for whoever finishes the removal of the file.
CREATE TABLE receipt (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    scope TEXT NOT NULL,
    counts TEXT NOT NULL, -- JSON: rows by table
    completed_at INTEGER
) WITHOUT ROWID;

CREATE INDEX receipt_pending ON receipt (at) WHERE completed_at IS NULL;

-- Whatever would remove something that one of these is about is refused.
CREATE TABLE legal_hold (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL, -- empty: all of the owner
    reason TEXT NOT NULL,
    placed_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE retention (
    what TEXT NOT NULL, -- see lifelong.forgetting.RULED
    name TEXT NOT NULL, -- the id of a session, a kind of memory, or empty
    saves TEXT NOT NULL,
    newest INTEGER,
    days REAL,
    PRIMARY KEY (what, name)
) WITHOUT ROWID;

CREATE INDEX memory_by_expiry ON memory (expires_at) WHERE expires_at IS NOT NULL;
