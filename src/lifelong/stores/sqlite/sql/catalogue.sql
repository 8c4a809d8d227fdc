-- name: make_owner
CREATE TABLE owner (
    id TEXT PRIMARY KEY,
    file TEXT NOT NULL UNIQUE,
    key BLOB, -- of the owner's file; NULL when encryption is off
    created_at INTEGER NOT NULL,
    seal BLOB -- what seals of the file are made with; NULL: made from the key
) WITHOUT ROWID

-- name: has_seal
SELECT count(*) FROM pragma_table_info('owner') WHERE name = 'seal'

-- name: add_seal
ALTER TABLE owner ADD COLUMN seal BLOB

-- name: has_successor
SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'successor'

-- name: make_successor
CREATE TABLE IF NOT EXISTS successor ( -- of an owner's file that is being replaced
    id TEXT PRIMARY KEY,
    old TEXT NOT NULL, -- counts as soon as this file says that it was replaced
    file TEXT NOT NULL,
    key BLOB,
    seal BLOB
) WITHOUT ROWID

-- name: count
SELECT count(*) FROM owner

-- name: find
SELECT file, key, seal FROM owner WHERE id = ?

-- name: add
INSERT INTO owner (id, file, key, created_at, seal) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING

-- name: ids
SELECT id FROM owner ORDER BY id

-- name: remove
DELETE FROM owner WHERE id = ? AND file = ?

-- name: set_successor
INSERT INTO successor (id, old, file, key, seal) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET old = excluded.old, file = excluded.file, key = excluded.key,
    seal = excluded.seal

-- name: succeed
UPDATE owner SET (file, key, seal) = (
    SELECT s.file, s.key, s.seal FROM successor AS s WHERE s.id = owner.id AND s.old = owner.file
)
WHERE id = ?1 AND file = ?2
    AND EXISTS (SELECT 1 FROM successor AS s WHERE s.id = ?1 AND s.old = ?2)

-- name: replace
UPDATE owner SET file = ?, key = ?, seal = ? WHERE id = ? AND file = ?

-- name: remove_successor
DELETE FROM successor WHERE id = ? AND old = ?

-- name: files
SELECT file FROM owner UNION SELECT file FROM successor

-- name: destroyed
SELECT keys_destroyed FROM forgotten

-- name: names
SELECT id, file FROM owner

-- name: owners
SELECT id, key, seal FROM owner ORDER BY id

-- name: keys
SELECT file, key FROM owner WHERE key IS NOT NULL
UNION SELECT file, key FROM successor WHERE key IS NOT NULL

-- name: successors
SELECT id, old FROM successor

-- name: successor
SELECT file FROM successor WHERE id = ? AND old = ?

-- name: is_owner_file
SELECT 1 FROM owner WHERE id = ? AND file = ?
