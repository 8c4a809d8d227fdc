-- name: standing_duplicates
SELECT id FROM memory
WHERE namespace = :namespace AND text_hash = :text_hash AND superseded_by IS NULL AND id <> :id
    AND (expires_at IS NULL OR expires_at > lifelong_now())
    AND (valid_to IS NULL OR valid_to > lifelong_now())

-- name: live_duplicate
SELECT id FROM memory_live WHERE namespace = :namespace AND text_hash = :text_hash AND id <> :id

-- name: told_before
SELECT id FROM memory
WHERE namespace = :namespace AND key = :key AND text_hash = :text_hash
    AND valid_from IS :valid_from AND trust >= :trust AND id <> :id
    AND superseded_by IS NOT NULL AND quarantined_at IS NULL
    AND (expires_at IS NULL OR expires_at > lifelong_now())

-- name: hidden_duplicates
SELECT id, quarantined_at IS NOT NULL FROM memory
WHERE namespace = :namespace AND text_hash = :text_hash AND superseded_by IS NULL AND id <> :id

-- name: retire
UPDATE memory SET
    superseded_by = :by, superseded_at = :at, updated_at = :at,
    ended_at = iif(:until > coalesce(valid_from, :until - 1), :until, :at)
WHERE id = :id

-- name: chain_end
WITH RECURSIVE chain (id, next, steps) AS (
    SELECT id, superseded_by, 0 FROM memory WHERE id = ?
    UNION ALL
    SELECT m.id, m.superseded_by, steps + 1 FROM memory AS m JOIN chain ON m.id = chain.next
    WHERE steps < 10000
)
SELECT id FROM chain ORDER BY steps DESC LIMIT 1

-- name: set_seal
UPDATE memory SET seal = (SELECT due_seal FROM memory_read WHERE id = memory.id) WHERE id = ?

-- name: mark_stale
UPDATE memory SET stale_since = coalesce(stale_since, :at)
WHERE id IN (SELECT value FROM json_each(:ids))

-- name: add_conflict
INSERT INTO conflict (older_id, newer_id, at) VALUES (:older, :newer, :at)
ON CONFLICT DO NOTHING

-- name: counts
SELECT coalesce(sum(memories) FILTER (WHERE is_held = 0), 0),
    coalesce(sum(memories) FILTER (WHERE is_held = 0 AND namespace = :namespace), 0),
    coalesce(sum(memories) FILTER (WHERE is_held = 0 AND kind = :kind), 0),
    coalesce(sum(memories) FILTER (WHERE is_held = 1), 0)
FROM memory_count

-- name: exact_counts
SELECT count(*), count(*) FILTER (WHERE namespace = :namespace), count(*) FILTER (WHERE kind = :kind),
    (SELECT count(*) FROM memory WHERE quarantined_at IS NOT NULL AND superseded_by IS NULL
        AND (expires_at IS NULL OR expires_at > lifelong_now()))
FROM memory_live

-- name: similar
SELECT m.id FROM memory_text AS t CROSS JOIN memory_live AS m ON m.seq = t.rowid >> 28
WHERE memory_text MATCH :words AND m.namespace = :namespace AND m.id <> :id
ORDER BY t.rowid DESC LIMIT :most

-- name: live_with_key
SELECT id FROM memory_live WHERE namespace = :namespace AND key = :key

-- name: add
INSERT INTO memory (
    id, text, text_hash, kind, namespace, importance, channel, source, trust, key, metadata,
    recorded_at, updated_at, valid_from, valid_to, expires_at, held_for, quarantined_at,
    screened_with
) VALUES (
    :id, :text, :text_hash, :kind, :namespace, :importance, :channel, :source, :trust, :key,
    :metadata, :recorded_at, :updated_at, :valid_from, :valid_to, :expires_at, :held_for,
    iif(:held_for IS NULL, NULL, :recorded_at), :screened_with
) RETURNING seq

-- name: saves_none_of_kind
SELECT 1 FROM retention
WHERE saves = 'nothing' AND (what = 'owner' OR (what = 'kind' AND name = :kind))

-- name: limit_age
UPDATE memory SET expires_at = recorded_at + CAST(r.days * 86400000000 AS INTEGER)
FROM retention AS r
WHERE memory.id = ? AND r.what = 'kind' AND r.name = memory.kind AND r.days IS NOT NULL AND (
    expires_at IS NULL OR expires_at > recorded_at + CAST(r.days * 86400000000 AS INTEGER)
)

-- name: change
UPDATE memory SET
    text = :text, text_hash = :text_hash, kind = :kind, importance = :importance,
    metadata = :metadata, updated_at = :updated_at, valid_from = :valid_from,
    valid_to = :valid_to, expires_at = :expires_at, trust = :trust, screened_with = :screened_with,
    confirmed_at = iif(text = :text, confirmed_at, NULL) -- a person vouched for the words
WHERE id = :id

-- name: add_parent
INSERT INTO memory_parent (memory_id, parent_id, parent_seq, position)
VALUES (
    :memory_id, :parent_id,
    coalesce(:parent_seq, (SELECT seq FROM message WHERE id = :parent_id)), :position
)

-- name: add_history
INSERT INTO memory_history (memory_id, at, change, text, metadata)
SELECT id, :at, :change, text, metadata FROM memory WHERE id = :id

-- name: history
SELECT memory_id, at, change, text, metadata FROM memory_history WHERE memory_id = ? ORDER BY seq

-- name: live
SELECT m.*, m.seal IS m.due_seal AS is_sealed
FROM memory_read AS m
WHERE m.seq IN (SELECT value FROM json_each(?))
    AND EXISTS (SELECT 1 FROM memory_live AS live WHERE live.seq = m.seq)
ORDER BY m.seq

-- name: all
SELECT m.*, m.seal IS m.due_seal AS is_sealed, EXISTS (
    SELECT 1 FROM memory AS older WHERE older.superseded_by = m.id
) AS replaces
FROM memory_read AS m
WHERE m.seq IN (SELECT value FROM json_each(?))
    AND m.quarantined_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > lifelong_now())
ORDER BY m.seq

-- name: held
SELECT m.*, m.seal IS m.due_seal AS is_sealed
FROM memory_read AS m
WHERE m.seq IN (SELECT value FROM json_each(?)) AND m.superseded_by IS NULL
    AND m.quarantined_at IS NOT NULL AND (m.expires_at IS NULL OR m.expires_at > lifelong_now())
ORDER BY m.seq

-- name: every
SELECT m.*, m.seal IS m.due_seal AS is_sealed
FROM memory_read AS m
WHERE m.seq IN (SELECT value FROM json_each(?)) ORDER BY m.seq

-- name: seqs
SELECT seq FROM memory ORDER BY seq

-- name: seq_of
SELECT seq FROM memory WHERE id = ?

-- name: seqs_of
SELECT seq FROM memory WHERE id IN (SELECT value FROM json_each(?))

-- name: parent_memories
SELECT id, iif(seal IS due_seal, trust, 0)
FROM memory_read WHERE id IN (SELECT value FROM json_each(?))

-- name: parent_messages
SELECT id, trust FROM message WHERE id IN (SELECT value FROM json_each(?))

-- name: derived
WITH RECURSIVE made (id) AS (
    SELECT memory_id FROM memory_parent
    WHERE parent_seq IS NULL AND parent_id IN (SELECT value FROM json_each(:memories))
        AND memory_id <> :spare
    UNION
    SELECT memory_id FROM memory_parent
    WHERE parent_seq IN (SELECT value FROM json_each(:messages)) AND memory_id <> :spare
    UNION
    SELECT p.memory_id FROM memory_parent AS p
        JOIN made ON p.parent_id = made.id AND p.parent_seq IS NULL
    WHERE p.memory_id <> :spare
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
SELECT json_group_array(doc) FROM (SELECT doc FROM memory_term WHERE term = ? LIMIT ?)

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
UPDATE memory SET last_used_at = max(coalesce(last_used_at, 0), ?), uses = uses + ?
WHERE id = ?

-- name: changed_since
SELECT m.seq, (
    SELECT h.text FROM memory_history AS h
    WHERE h.memory_id = m.id AND h.at <= :at ORDER BY h.seq DESC LIMIT 1
) AS text, (
    SELECT h.metadata FROM memory_history AS h
    WHERE h.memory_id = m.id AND h.at <= :at ORDER BY h.seq DESC LIMIT 1
) AS metadata
FROM memory AS m
WHERE m.updated_at > :at AND m.recorded_at <= :at AND EXISTS (
    SELECT 1 FROM memory_history AS h
    WHERE h.memory_id = m.id AND h.at > :at AND h.change = 'updated'
)
