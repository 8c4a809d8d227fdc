-- name: live_duplicate
SELECT id FROM memory_live WHERE namespace = :namespace AND text_hash = :text_hash

-- name: hidden_duplicates
SELECT id FROM memory
WHERE namespace = :namespace AND text_hash = :text_hash AND superseded_by IS NULL AND id <> :id

-- name: retire
UPDATE memory SET superseded_by = :by, superseded_at = :at, updated_at = :at WHERE id = :id

-- name: exists
SELECT 1 FROM memory_live WHERE id = ?

-- name: live_with_key
SELECT id FROM memory_live WHERE namespace = :namespace AND key = :key

-- name: add
INSERT INTO memory (
    id, text, text_hash, kind, namespace, importance, channel, source, trust, key, metadata,
    recorded_at, updated_at, valid_from, valid_to, expires_at
) VALUES (
    :id, :text, :text_hash, :kind, :namespace, :importance, :channel, :source, :trust, :key,
    :metadata, :recorded_at, :updated_at, :valid_from, :valid_to, :expires_at
) RETURNING seq

-- name: change
UPDATE memory SET
    text = :text, text_hash = :text_hash, kind = :kind, importance = :importance,
    metadata = :metadata, updated_at = :updated_at, valid_from = :valid_from,
    valid_to = :valid_to, expires_at = :expires_at
WHERE id = :id

-- name: add_parent
INSERT INTO memory_parent (memory_id, parent_id, parent_seq, position)
VALUES (:memory_id, :parent_id, (SELECT seq FROM message WHERE id = :parent_id), :position)

-- name: add_history
INSERT INTO memory_history (memory_id, at, change, text, metadata)
SELECT id, :at, :change, text, metadata FROM memory WHERE id = :id

-- name: history
SELECT memory_id, at, change, text, metadata FROM memory_history WHERE memory_id = ? ORDER BY seq

-- name: live
SELECT m.*, (
    SELECT json_group_array(p.parent_id ORDER BY p.position)
    FROM memory_parent AS p WHERE p.memory_id = m.id
) AS parents
FROM memory_live AS m
WHERE m.seq IN (SELECT value FROM json_each(?)) ORDER BY m.seq

-- name: all
SELECT m.*, (
    SELECT json_group_array(p.parent_id ORDER BY p.position)
    FROM memory_parent AS p WHERE p.memory_id = m.id
) AS parents, EXISTS (
    SELECT 1 FROM memory AS older WHERE older.superseded_by = m.id
) AS replaces
FROM memory AS m
WHERE m.seq IN (SELECT value FROM json_each(?))
    AND m.quarantined_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > lifelong_now())
ORDER BY m.seq

-- name: every
SELECT m.*, (
    SELECT json_group_array(p.parent_id ORDER BY p.position)
    FROM memory_parent AS p WHERE p.memory_id = m.id
) AS parents
FROM memory AS m
WHERE m.seq IN (SELECT value FROM json_each(?)) ORDER BY m.seq

-- name: seqs
SELECT seq FROM memory ORDER BY seq

-- name: seq_of
SELECT seq FROM memory WHERE id = ?

-- name: parent_memories
SELECT id, trust FROM memory WHERE id IN (SELECT value FROM json_each(?))

-- name: parent_messages
SELECT id, trust FROM message WHERE id IN (SELECT value FROM json_each(?))

-- name: derived
WITH RECURSIVE made (id) AS (
    SELECT memory_id FROM memory_parent
    WHERE parent_seq IS NULL AND parent_id IN (SELECT value FROM json_each(:memories))
    UNION
    SELECT memory_id FROM memory_parent
    WHERE parent_seq IN (SELECT value FROM json_each(:messages))
    UNION
    SELECT p.memory_id FROM memory_parent AS p
        JOIN made ON p.parent_id = made.id AND p.parent_seq IS NULL
)
SELECT id FROM made

-- name: add_passage
INSERT INTO memory_text (rowid, text) VALUES (?, ?)

-- name: remove_passages
DELETE FROM memory_text WHERE rowid BETWEEN :first AND :last

-- name: passage_words
SELECT rowid FROM memory_text WHERE rowid BETWEEN :first AND :last

-- name: add_to_statistic
UPDATE statistic SET value = value + ? WHERE name = ?

-- name: statistics
SELECT name, value FROM statistic

-- name: term_postings
SELECT json_group_array(doc) FROM memory_term WHERE term = ?

-- name: term_frequency
SELECT doc FROM memory_frequency WHERE term = ?

-- name: term_among
SELECT json_group_array(rowid) FROM memory_text WHERE memory_text MATCH ? AND rowid >= ?

-- name: term_newest
SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid DESC LIMIT ?
)

-- name: prefix_terms
SELECT term, doc FROM memory_frequency
WHERE term >= :prefix AND term < :prefix || char(1114111) LIMIT :most

-- name: note_use
UPDATE memory SET last_used_at = max(coalesce(last_used_at, 0), :at), uses = uses + 1
WHERE id IN (SELECT value FROM json_each(:ids))
