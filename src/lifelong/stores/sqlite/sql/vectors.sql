-- name: model
SELECT no, dimensions, token_dimensions FROM model WHERE name = ?

-- name: add_model
INSERT INTO model (name, dimensions, token_dimensions) VALUES (?, ?, ?) RETURNING no

-- name: pending_messages
SELECT m.seq, s.id, m.id, m.role, m.speaker, m.sent_at, m.recorded_at, m.format, m.payload
FROM message AS m JOIN session AS s ON s.no = m.session_no
WHERE m.seq < :before
    AND m.seq > coalesce((SELECT messages_to FROM model WHERE name = :model), 0)
    AND NOT EXISTS (
        SELECT 1 FROM vector
        WHERE kind = 0 AND seq = m.seq AND model_no = (SELECT no FROM model WHERE name = :model)
    )
ORDER BY m.seq DESC LIMIT :rows_max

-- name: pending_memories
SELECT m.seq, m.text FROM memory AS m
WHERE m.seq < :before
    AND m.seq > coalesce((SELECT memories_to FROM model WHERE name = :model), 0)
    AND NOT EXISTS (
        SELECT 1 FROM vector
        WHERE kind = 1 AND seq = m.seq AND model_no = (SELECT no FROM model WHERE name = :model)
    )
ORDER BY m.seq DESC LIMIT :rows_max

-- name: unsettled
SELECT
    (SELECT coalesce(max(seq), 0) FROM message) - messages_to,
    (SELECT coalesce(max(seq), 0) FROM memory) - memories_to
FROM model WHERE name = ?

-- name: settle_messages
UPDATE model SET messages_to = (SELECT coalesce(max(seq), 0) FROM message)
WHERE name = ? AND NOT EXISTS (
    SELECT 1 FROM message AS m
    WHERE m.seq > messages_to
        AND NOT EXISTS (
            SELECT 1 FROM vector WHERE kind = 0 AND seq = m.seq AND model_no = model.no
        )
)

-- name: settle_memories
UPDATE model SET memories_to = (SELECT coalesce(max(seq), 0) FROM memory)
WHERE name = ? AND NOT EXISTS (
    SELECT 1 FROM memory AS m
    WHERE m.seq > memories_to
        AND NOT EXISTS (
            SELECT 1 FROM vector WHERE kind = 1 AND seq = m.seq AND model_no = model.no
        )
)

-- name: unsettle_messages
UPDATE model SET messages_to = min(messages_to, ? - 1)

-- name: unsettle_memories
UPDATE model SET memories_to = min(memories_to, ? - 1)

-- name: of_texts
SELECT v.text_hash, v.vector, t.tokens
FROM vector AS v LEFT JOIN vector_tokens AS t ON t.no = v.no
WHERE v.text_hash = ? AND v.model_no = (SELECT no FROM model WHERE name = ?) LIMIT 1

-- name: add_of_message
INSERT OR IGNORE INTO vector (model_no, kind, seq, text_hash, vector)
SELECT :model_no, 0, :seq, :text_hash, :vector
WHERE EXISTS (SELECT 1 FROM message WHERE seq = :seq)
RETURNING no

-- name: add_of_memory
INSERT OR IGNORE INTO vector (model_no, kind, seq, text_hash, vector)
SELECT :model_no, 1, :seq, :text_hash, :vector
WHERE EXISTS (SELECT 1 FROM memory WHERE seq = :seq AND text = :text)
RETURNING no

-- name: add_tokens
INSERT INTO vector_tokens (no, tokens) VALUES (?, ?)

-- name: removals
SELECT value FROM property WHERE name = 'vectors_removed'

-- name: since
SELECT no, kind, seq, vector FROM vector
WHERE no > :number AND model_no = (SELECT no FROM model WHERE name = :model)
    AND length(vector) > 0
ORDER BY no LIMIT :rows_max

-- name: numbers
SELECT json_group_array(no) FROM vector
WHERE model_no = (SELECT no FROM model WHERE name = ?)

-- name: vectors
SELECT no, vector FROM vector WHERE no IN (SELECT value FROM json_each(?))

-- name: tokens
SELECT no, tokens FROM vector_tokens WHERE no IN (SELECT value FROM json_each(?))

-- name: hashes
SELECT seq, text_hash FROM vector
WHERE kind = ? AND model_no = (SELECT no FROM model WHERE name = ?)

-- name: count_messages
SELECT count(*) FROM message

-- name: count_memories
SELECT count(*) FROM memory

-- name: models
SELECT name FROM model

-- name: count_vectors
SELECT count(*) FROM vector

-- name: count_by_model
SELECT m.name, count(*) FROM vector AS v JOIN model AS m ON m.no = v.model_no GROUP BY v.model_no

-- name: remove
DELETE FROM vector WHERE kind = ? AND seq IN (SELECT value FROM json_each(?))

-- name: removed
UPDATE property SET value = value + 1 WHERE name = 'vectors_removed'

-- name: remove_other_models
DELETE FROM vector WHERE model_no IN (SELECT no FROM model WHERE name <> ?)

-- name: forget_other_models
DELETE FROM model WHERE name <> ?

-- name: lost_vectors
SELECT 'message', v.seq FROM vector AS v
WHERE v.kind = 0 AND NOT EXISTS (SELECT 1 FROM message WHERE seq = v.seq)
UNION ALL
SELECT 'memory', v.seq FROM vector AS v
WHERE v.kind = 1 AND NOT EXISTS (SELECT 1 FROM memory WHERE seq = v.seq)
UNION ALL
SELECT 'kind ' || kind, seq FROM vector WHERE kind NOT IN (0, 1)

-- name: misshapen_vectors
SELECT v.no FROM vector AS v JOIN model AS m ON m.no = v.model_no
    LEFT JOIN vector_tokens AS t ON t.no = v.no
WHERE length(v.vector) NOT IN (0, 2 * m.dimensions)
    OR (t.no IS NOT NULL AND length(t.tokens) % (m.token_dimensions + 4) <> 0)
    OR (t.no IS NOT NULL AND m.token_dimensions = 0)
