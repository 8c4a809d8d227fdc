-- name: message_rows
SELECT m.seq, m.id, s.no, s.id FROM message AS m JOIN session AS s ON s.no = m.session_no
WHERE m.seq IN (SELECT value FROM json_each(?))

-- name: add_tombstone
INSERT INTO tombstone (what, session_id, id, forgotten_at) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET forgotten_at = excluded.forgotten_at

-- name: remove_message
DELETE FROM message WHERE seq = ?

-- name: remove_message_index
DELETE FROM message_index WHERE seq = ?

-- name: remove_summaries
DELETE FROM summary WHERE session_no = ? AND last_seq >= ?

-- name: remove_passages
DELETE FROM passage_text WHERE rowid BETWEEN ? AND ?

-- name: begin_many
INSERT INTO passage_text (passage_text, rank) VALUES ('secure-delete', 0)

-- name: merge_all
INSERT INTO passage_text (passage_text) VALUES ('optimize')

-- name: end_many
INSERT INTO passage_text (passage_text, rank) VALUES ('secure-delete', 1)

-- name: remove_if_empty
DELETE FROM session
WHERE no = ? AND NOT EXISTS (SELECT 1 FROM message WHERE session_no = session.no)

-- name: remove_labels
UPDATE session SET title = '', metadata = '{}' WHERE id IN (SELECT value FROM json_each(?))

-- name: memory_seqs
SELECT seq, id FROM memory WHERE id IN (SELECT value FROM json_each(?))

-- name: remove_history
DELETE FROM memory_history WHERE memory_id = ?

-- name: remove_parents
DELETE FROM memory_parent WHERE memory_id = ?

-- name: remove_conflicts
DELETE FROM conflict WHERE ? IN (older_id, newer_id)

-- name: remove_confirmations
DELETE FROM confirmation WHERE memory_id = ?

-- name: remove_extractions
DELETE FROM extraction WHERE message_seq = ?

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

-- name: remove_memory
DELETE FROM memory WHERE seq = ?

-- name: new_generation
UPDATE property SET value = value + 1 WHERE name = 'generation'

-- name: is_retired
SELECT value FROM property WHERE name = 'retired'

-- name: retire
UPDATE property SET value = 1 WHERE name = 'retired'

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
