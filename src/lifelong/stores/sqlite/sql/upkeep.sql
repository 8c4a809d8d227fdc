-- name: clear_memory_counts
DELETE FROM memory_count

-- name: count_memories
INSERT INTO memory_count
SELECT namespace, kind, quarantined_at IS NOT NULL, count(*) FROM memory
WHERE superseded_by IS NULL GROUP BY 1, 2, 3

-- name: wrong_memory_counts
SELECT namespace, kind, quarantined_at IS NOT NULL AS is_held, count(*) AS memories FROM memory
WHERE superseded_by IS NULL GROUP BY 1, 2, 3
EXCEPT SELECT namespace, kind, is_held, memories FROM memory_count
UNION ALL
SELECT namespace, kind, is_held, memories FROM memory_count AS c
WHERE memories <> 0 AND memories <> (
    SELECT count(*) FROM memory AS m
    WHERE m.superseded_by IS NULL AND m.namespace = c.namespace AND m.kind = c.kind
        AND (m.quarantined_at IS NOT NULL) = c.is_held
)
LIMIT 1

-- name: lost_conflicts
SELECT older_id FROM conflict WHERE older_id NOT IN (SELECT id FROM memory)
UNION SELECT newer_id FROM conflict WHERE newer_id NOT IN (SELECT id FROM memory)

-- name: broken_seals
SELECT id FROM memory_read WHERE seal IS NOT due_seal

-- name: count_rows
SELECT 'session' AS name, count(*) FROM session
UNION ALL SELECT 'message', count(*) FROM message
UNION ALL SELECT 'memory', count(*) FROM memory_live
UNION ALL SELECT 'summary', count(*) FROM summary
UNION ALL SELECT 'memory_hidden', (SELECT count(*) FROM memory) - (SELECT count(*) FROM memory_live)
UNION ALL SELECT 'memory_history', count(*) FROM memory_history
UNION ALL SELECT 'conflict', count(*) FROM conflict AS c
    JOIN memory_live AS older ON older.id = c.older_id
    JOIN memory_live AS newer ON newer.id = c.newer_id
    WHERE c.settled_at IS NULL
UNION ALL SELECT 'state', count(*) FROM state
UNION ALL SELECT 'file', count(*) FROM file
UNION ALL SELECT 'file_version', count(*) FROM file_version
UNION ALL SELECT 'tombstone', count(*) FROM tombstone
UNION ALL SELECT 'passage', count(*) FROM passage_text
UNION ALL SELECT 'memory_passage', count(*) FROM memory_text
UNION ALL SELECT 'vector', count(*) FROM vector

-- name: unindexed_messages
SELECT m.id, s.id FROM message AS m JOIN session AS s ON s.no = m.session_no
    LEFT JOIN message_index AS i ON i.seq = m.seq
WHERE i.seq IS NULL OR i.session_no <> m.session_no
UNION ALL
SELECT 'index row ' || i.seq, '' FROM message_index AS i
    LEFT JOIN message AS m ON m.seq = i.seq WHERE m.seq IS NULL

-- name: passages_expected
SELECT seq, passages, passage_words FROM message_index

-- name: passage_postings
SELECT rowid FROM passage_text

-- name: memory_postings
SELECT rowid FROM memory_text

-- name: memory_numbers
SELECT seq FROM memory

-- name: orphan_history
SELECT DISTINCT memory_id FROM memory_history
WHERE memory_id NOT IN (SELECT id FROM memory)

-- name: lost_successors
SELECT id FROM memory
WHERE superseded_by IS NOT NULL AND superseded_by NOT IN (SELECT id FROM memory)
    AND superseded_by NOT IN (SELECT id FROM tombstone WHERE what = 'memory')

-- name: damaged_files
SELECT path FROM file WHERE typeof(text) <> 'text' OR bytes <> octet_length(text)
UNION SELECT path FROM file_version WHERE typeof(text) <> 'text'

-- name: loose_file_parents
SELECT DISTINCT version FROM file_parent
WHERE version NOT IN (SELECT version FROM file UNION SELECT version FROM file_version)

-- name: statistics
SELECT name, value FROM statistic

-- name: set_statistic
UPDATE statistic SET value = ? WHERE name = ?

-- name: clear_log_index
DELETE FROM message_index

-- name: clear_passages
DELETE FROM passage_text

-- name: clear_memory_passages
DELETE FROM memory_text

-- name: session_numbers
SELECT m.seq, m.session_no FROM message AS m
WHERE m.seq IN (SELECT value FROM json_each(?))

-- name: json_columns
SELECT 'session', id, json_valid(metadata) FROM session
UNION ALL SELECT 'state', name, json_valid(value) FROM state
UNION ALL SELECT 'history of memory', memory_id, json_valid(metadata) FROM memory_history

-- name: lost_summaries
SELECT s.id FROM summary AS y JOIN session AS s ON s.no = y.session_no
WHERE NOT EXISTS (SELECT 1 FROM message WHERE seq = y.first_seq AND session_no = y.session_no)
    OR NOT EXISTS (SELECT 1 FROM message WHERE seq = y.last_seq AND session_no = y.session_no)

-- name: new_generation
UPDATE property SET value = value + 1 WHERE name = 'generation'
