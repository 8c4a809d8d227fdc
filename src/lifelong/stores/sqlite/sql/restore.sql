-- name: texts
SELECT id, text FROM memory WHERE id IN (SELECT value FROM json_each(?))

-- name: tombstones
SELECT what, session_id, id FROM tombstone WHERE id IN (SELECT value FROM json_each(?))

-- name: parent_messages
SELECT m.id, s.id, m.trust, m.seq FROM message AS m JOIN session AS s ON s.no = m.session_no
WHERE m.id IN (SELECT value FROM json_each(?))

-- name: live_counts
SELECT namespace, kind, count(*) FROM memory_live GROUP BY namespace, kind

-- name: held_count
SELECT count(*) FROM memory
WHERE quarantined_at IS NOT NULL AND superseded_by IS NULL
    AND (expires_at IS NULL OR expires_at > lifelong_now())

-- name: seal
SELECT lifelong_seal('line of an export', ?)

-- name: sessions_of_parents
SELECT p.memory_id, p.parent_id, s.id FROM memory_parent AS p
    JOIN message AS m ON m.seq = p.parent_seq
    JOIN session AS s ON s.no = m.session_no
WHERE p.memory_id IN (SELECT value FROM json_each(?))

-- name: add
INSERT INTO memory (
    id, text, text_hash, kind, namespace, importance, channel, source, trust, key, metadata,
    recorded_at, updated_at, valid_from, valid_to, expires_at, held_for, quarantined_at,
    screened_with, superseded_by, superseded_at, ended_at, last_used_at, stale_since, confirmed_at
) VALUES (
    :id, :text, :text_hash, :kind, :namespace, :importance, :channel, :source, :trust, :key,
    :metadata, :recorded_at, :updated_at, :valid_from, :valid_to, :expires_at, :held_for,
    iif(:held_for IS NULL, NULL, :updated_at), :screened_with, :superseded_by, :superseded_at,
    :ended_at, :last_used_at, :stale_since, :confirmed_at
) RETURNING seq

-- name: add_version
INSERT INTO memory_history (memory_id, at, change, text, metadata) VALUES (?, ?, ?, ?, ?)

-- name: add_tombstone
INSERT INTO tombstone (what, session_id, id, forgotten_at) VALUES ('memory', '', ?, ?)
ON CONFLICT DO NOTHING

-- name: add_conflict
INSERT INTO conflict (older_id, newer_id, at)
SELECT :older, :newer, :at
WHERE EXISTS (SELECT 1 FROM memory WHERE id = :older)
    AND EXISTS (SELECT 1 FROM memory WHERE id = :newer)
ON CONFLICT DO NOTHING

-- name: all_tombstones
SELECT what, session_id, id, forgotten_at FROM tombstone
WHERE what IN ('memory', 'message', 'file', 'told memory', 'told message', 'told file')
ORDER BY what, session_id, id

-- name: note_tombstone
INSERT INTO tombstone (what, session_id, id, forgotten_at)
SELECT :what, :session_id, :id, :at
WHERE NOT EXISTS (SELECT 1 FROM tombstone WHERE what = :of AND session_id = :session_id AND id = :id)
    AND NOT EXISTS (SELECT 1 FROM memory WHERE :of = 'memory' AND id = :id)
    AND NOT EXISTS (SELECT 1 FROM file WHERE :of = 'file' AND path = :id)
    AND NOT EXISTS (
        SELECT 1 FROM message AS m JOIN session AS s ON s.no = m.session_no
        WHERE :of = 'message' AND m.id = :id AND s.id = :session_id
    )
ON CONFLICT DO NOTHING
