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
SELECT seq, id, namespace FROM memory WHERE id IN (SELECT value FROM json_each(?))

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

-- name: remove_memory
DELETE FROM memory WHERE seq = ?

-- name: new_generation
UPDATE property SET value = value + 1 WHERE name = 'generation'

-- name: is_retired
SELECT value FROM property WHERE name = 'retired'

-- name: retire
UPDATE property SET value = 1 WHERE name = 'retired'

-- name: remove_state
DELETE FROM state WHERE name = ?

-- name: add_receipt
INSERT INTO receipt (id, at, scope, counts) VALUES (?, ?, ?, ?)

-- name: any_hold
SELECT id, reason FROM legal_hold ORDER BY placed_at, id LIMIT 1

-- name: holds_on
SELECT h.id, h.reason FROM legal_hold AS h
WHERE h.session_id = ''
    OR h.session_id IN (SELECT value FROM json_each(:labels))
    OR EXISTS (
        SELECT 1 FROM message AS m JOIN session AS s ON s.no = m.session_no
        WHERE s.id = h.session_id AND m.seq IN (SELECT value FROM json_each(:messages))
    )
    OR EXISTS (
        SELECT 1 FROM memory_parent AS p JOIN message AS m ON m.seq = p.parent_seq
            JOIN session AS s ON s.no = m.session_no
        WHERE s.id = h.session_id AND p.memory_id IN (SELECT value FROM json_each(:memories))
    )
ORDER BY h.placed_at, h.id LIMIT 1

-- name: remove_empty_counts
DELETE FROM memory_count WHERE memories <= 0 -- their namespaces may tell what was forgotten
