-- name: all_tombstone
SELECT what, session_id, id, forgotten_at FROM tombstone

-- name: put_tombstone
INSERT INTO tombstone (what, session_id, id, forgotten_at) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET forgotten_at = max(forgotten_at, excluded.forgotten_at)

-- name: all_receipt
SELECT id, at, scope, counts, completed_at FROM receipt

-- name: put_receipt
INSERT OR REPLACE INTO receipt (id, at, scope, counts, completed_at) VALUES (?, ?, ?, ?, ?)

-- name: clear_legal_hold
DELETE FROM legal_hold

-- name: all_legal_hold
SELECT id, session_id, reason, placed_at FROM legal_hold

-- name: clear_retention
DELETE FROM retention

-- name: all_retention
SELECT what, name, saves, newest, days FROM retention

-- name: put_retention
INSERT INTO retention (what, name, saves, newest, days) VALUES (?, ?, ?, ?, ?)

-- name: generations
SELECT name, value FROM property WHERE name IN ('generation', 'vectors_removed')

-- name: outgrow
UPDATE property SET value = max(value, ?) + 1 WHERE name = ?

-- name: forgotten_memories
SELECT m.id FROM memory AS m JOIN tombstone AS t
    ON t.what = 'memory' AND t.session_id = '' AND t.id = m.id
ORDER BY m.seq

-- name: forgotten_states
SELECT name FROM state
WHERE hex(lifelong_seal('name', 'state', name)) IN (
    SELECT id FROM tombstone WHERE what = 'state name' AND session_id = ''
)
ORDER BY name

-- name: forgotten_files
SELECT path FROM file
WHERE hex(lifelong_seal('name', 'file', path)) IN (
    SELECT id FROM tombstone WHERE what = 'file name' AND session_id = ''
)
ORDER BY path

-- name: forgotten_messages
SELECT s.id, m.id FROM message AS m JOIN session AS s ON s.no = m.session_no
    JOIN tombstone AS t ON t.what = 'message' AND t.session_id = s.id AND t.id = m.id
ORDER BY m.seq
