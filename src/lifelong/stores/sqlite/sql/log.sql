-- name: saves
SELECT saves FROM retention
WHERE (what = 'session' AND name = ?) OR (what = 'owner' AND name = '')
ORDER BY what DESC LIMIT 1

-- name: session_no
SELECT no FROM session WHERE id = ?

-- name: add_session
INSERT INTO session (id, created_at) VALUES (?, ?) RETURNING no

-- name: set_session
UPDATE session SET
    title = coalesce(:title, title),
    source = coalesce(:source, source),
    metadata = coalesce(:metadata, metadata),
    last_seq = max(last_seq, :last_seq)
WHERE no = :no

-- name: stored_among
SELECT id, format, payload FROM message
WHERE session_no = :session_no AND id IN (SELECT value FROM json_each(:ids))

-- name: forgotten_among
SELECT id FROM tombstone
WHERE what = 'message' AND session_id = :session_id
    AND id IN (SELECT value FROM json_each(:ids))

-- name: was_forgotten
SELECT 1 FROM tombstone WHERE what = 'message' AND session_id = ? LIMIT 1

-- name: newest_seq
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'message'), 0)

-- name: add_message
INSERT INTO message (
    seq, session_no, id, role, trust, speaker, sent_at, recorded_at, format, payload
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: add_message_index
INSERT INTO message_index (
    seq, session_no, role, speaker, day, words, flags, question, passages, passage_words
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: add_passage
INSERT INTO passage_text (rowid, text) VALUES (?, ?)

-- name: merge_passages
INSERT INTO passage_text (passage_text, rank) VALUES ('merge', ?)

-- name: session_messages
SELECT m.seq, s.id, m.id, m.role, m.speaker, m.sent_at, m.recorded_at, m.format, m.payload
FROM session AS s JOIN message AS m ON m.session_no = s.no
WHERE s.id = ? ORDER BY m.seq

-- name: newest_session_messages
SELECT m.seq, s.id, m.id, m.role, m.speaker, m.sent_at, m.recorded_at, m.format, m.payload
FROM session AS s JOIN message AS m ON m.session_no = s.no
WHERE s.id = :session_id AND m.seq < :before ORDER BY m.seq DESC LIMIT :newest

-- name: session_messages_after
SELECT m.seq, s.id, m.id, m.role, m.speaker, m.sent_at, m.recorded_at, m.format, m.payload
FROM session AS s JOIN message AS m ON m.session_no = s.no
WHERE s.id = ? AND m.seq > ? ORDER BY m.seq

-- name: generation
SELECT value FROM property WHERE name = 'generation'

-- name: summaries
SELECT first_seq, last_seq, text, carried, made_by, made_at
FROM summary WHERE session_no = (SELECT no FROM session WHERE id = ?) ORDER BY last_seq

-- name: summed_up_to
SELECT coalesce(max(last_seq), 0) FROM summary WHERE session_no = ?

-- name: add_summary
INSERT INTO summary (session_no, first_seq, last_seq, text, carried, made_by, made_at)
VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: turns
SELECT s.id, count(*) FILTER (WHERE m.role = 'user'), max(m.recorded_at)
FROM session AS s JOIN message AS m ON m.session_no = s.no
GROUP BY s.no ORDER BY s.no

-- name: messages_by_seq
SELECT m.seq, s.id, m.id, m.role, m.speaker, m.sent_at, m.recorded_at, m.format, m.payload
FROM json_each(?) AS wanted JOIN message AS m ON m.seq = wanted.value
    JOIN session AS s ON s.no = m.session_no

-- name: messages_after
SELECT m.seq, s.id, m.id, m.role, m.speaker, m.sent_at, m.recorded_at, m.format, m.payload
FROM message AS m JOIN session AS s ON s.no = m.session_no
WHERE m.seq > ? ORDER BY m.seq LIMIT ?

-- name: messages_by_id
SELECT m.seq, s.id, m.id, m.role, m.speaker, m.sent_at, m.recorded_at, m.format, m.payload
FROM message AS m JOIN session AS s ON s.no = m.session_no
WHERE m.id = ? ORDER BY m.seq

-- name: sessions
SELECT s.id, s.title, s.source, s.metadata, count(*),
    min(coalesce(m.sent_at, m.recorded_at)), max(coalesce(m.sent_at, m.recorded_at))
FROM session AS s JOIN message AS m ON m.session_no = s.no
GROUP BY s.no ORDER BY s.last_seq DESC

-- name: term_postings
SELECT json_group_array(doc) FROM (SELECT doc FROM passage_term WHERE term = ? LIMIT ?)

-- name: term_frequency
SELECT doc FROM passage_frequency WHERE term = ?

-- name: term_among
SELECT json_group_array(rowid) FROM passage_text WHERE passage_text MATCH ? AND rowid >= ?

-- name: term_newest
SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM passage_text WHERE passage_text MATCH ? ORDER BY rowid DESC LIMIT ?
)

-- name: prefix_terms
SELECT term, doc FROM passage_frequency
WHERE term >= :prefix AND term < :prefix || char(1114111) LIMIT :most

-- name: extracted
SELECT e.message_seq FROM extraction AS e JOIN message AS m ON m.seq = e.message_seq
    JOIN session AS s ON s.no = m.session_no
WHERE e.extractor = ? AND s.id = ?

-- name: note_extracted
INSERT INTO extraction (extractor, message_seq)
SELECT ?, seq FROM message WHERE seq IN (SELECT value FROM json_each(?))
ON CONFLICT DO NOTHING
