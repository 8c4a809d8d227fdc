-- name: held
SELECT id FROM memory WHERE quarantined_at IS NOT NULL AND superseded_by IS NULL

-- name: conflicts
SELECT c.older_id, c.newer_id, c.at FROM conflict AS c
    JOIN memory_live AS older ON older.id = c.older_id
    JOIN memory_live AS newer ON newer.id = c.newer_id
WHERE c.settled_at IS NULL ORDER BY c.at, c.older_id, c.newer_id

-- name: settle
UPDATE conflict SET settled_at = :at
WHERE settled_at IS NULL AND (older_id, newer_id) IN ((:one, :other), (:other, :one))

-- name: release
UPDATE memory SET held_for = NULL, quarantined_at = NULL, updated_at = :at WHERE id = :id

-- name: hold
UPDATE memory SET held_for = :why, quarantined_at = :at, updated_at = :at WHERE id = :id

-- name: not_held
SELECT id FROM memory
WHERE id IN (SELECT value FROM json_each(?)) AND quarantined_at IS NULL ORDER BY seq

-- name: from_origin
SELECT id FROM memory
WHERE (:source IS NULL OR source = :source) AND (:channel IS NULL OR channel = :channel)
ORDER BY seq

-- name: is_below
WITH RECURSIVE chain (id) AS (
    SELECT superseded_by FROM memory WHERE id = :newer
    UNION
    SELECT m.superseded_by FROM memory AS m JOIN chain ON m.id = chain.id
)
SELECT 1 FROM chain WHERE id = :older

-- name: drop_confirmations
DELETE FROM confirmation WHERE expires_at <= lifelong_now()

-- name: add_confirmation
INSERT INTO confirmation (token_hash, memory_id, text_hash, expires_at) VALUES (?, ?, ?, ?)

-- name: use_confirmation
DELETE FROM confirmation WHERE token_hash = ? AND expires_at > lifelong_now()
RETURNING memory_id, text_hash

-- name: confirm
UPDATE memory SET trust = :trust, confirmed_at = :at, updated_at = :at WHERE id = :id

-- name: unscreened
SELECT id FROM memory WHERE screened_with <> ? ORDER BY seq LIMIT ?

-- name: rewrite_history
UPDATE memory_history SET text = :text, metadata = :metadata WHERE memory_id = :id

-- name: session_of
SELECT session_no FROM message WHERE seq = ?

-- name: rewrite_message
UPDATE message SET format = ?, payload = ?, speaker = ? WHERE seq = ?

-- name: screened
SELECT name, value FROM property WHERE name IN ('screened_with', 'screened_to')

-- name: note_screened
INSERT INTO property (name, value) VALUES (?, ?)
ON CONFLICT DO UPDATE SET value = excluded.value
