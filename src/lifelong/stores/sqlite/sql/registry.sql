-- name: make_seed
CREATE TABLE IF NOT EXISTS seed (no INTEGER PRIMARY KEY CHECK (no = 1), value BLOB NOT NULL)

-- name: make_forgotten
CREATE TABLE IF NOT EXISTS forgotten (
    id TEXT PRIMARY KEY, -- of the receipt
    owner BLOB NOT NULL, -- keyed hash of the owner's id
    at INTEGER NOT NULL,
    scope TEXT NOT NULL,
    counts TEXT NOT NULL,
    keys_destroyed TEXT NOT NULL,
    completed_at INTEGER
) WITHOUT ROWID

-- name: make_going
CREATE TABLE IF NOT EXISTS going (
    file TEXT PRIMARY KEY -- of an owner who is gone; until it is unlinked, no receipt is complete
) WITHOUT ROWID

-- name: add_seed
INSERT INTO seed (no, value) VALUES (1, ?) ON CONFLICT DO NOTHING

-- name: seed
SELECT value FROM seed

-- name: has_registry
SELECT count(*) = 3 FROM sqlite_schema
WHERE type = 'table' AND name IN ('seed', 'forgotten', 'going')

-- name: add_forgotten
INSERT INTO forgotten (id, owner, at, scope, counts, keys_destroyed, completed_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: forgotten
SELECT id, at, scope, counts, completed_at, keys_destroyed FROM forgotten
WHERE owner = ? ORDER BY at, id

-- name: pending
SELECT id FROM forgotten WHERE completed_at IS NULL

-- name: add_going
INSERT INTO going (file) VALUES (?) ON CONFLICT DO NOTHING

-- name: going
SELECT file FROM going

-- name: gone
DELETE FROM going WHERE file IN (SELECT value FROM json_each(?))

-- name: complete
UPDATE forgotten SET completed_at = max(?, at)
WHERE completed_at IS NULL AND id IN (SELECT value FROM json_each(?))
