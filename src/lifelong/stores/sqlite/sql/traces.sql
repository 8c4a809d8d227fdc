-- name: texts
WITH gone (seq, payload) AS (
    SELECT seq, payload FROM message WHERE seq IN (SELECT value FROM json_each(:messages))
), texts (text) AS (
    SELECT leaf.value FROM gone, json_tree(gone.payload) AS leaf
    WHERE json_valid(gone.payload) AND leaf.type = 'text'
    UNION ALL SELECT json_quote(leaf.value) FROM gone, json_tree(gone.payload) AS leaf
    WHERE json_valid(gone.payload) AND leaf.type = 'text'
    UNION ALL SELECT payload FROM gone WHERE NOT json_valid(payload)
    UNION ALL SELECT speaker FROM message WHERE seq IN (SELECT seq FROM gone)
    UNION ALL SELECT y.text FROM summary AS y JOIN message AS m ON m.session_no = y.session_no
    WHERE m.seq IN (SELECT seq FROM gone) AND y.last_seq >= m.seq
    UNION ALL SELECT y.carried FROM summary AS y JOIN message AS m ON m.session_no = y.session_no
    WHERE m.seq IN (SELECT seq FROM gone) AND y.last_seq >= m.seq
    UNION ALL SELECT title FROM session WHERE id IN (SELECT value FROM json_each(:labels))
    UNION ALL SELECT metadata FROM session WHERE id IN (SELECT value FROM json_each(:labels))
    UNION ALL SELECT text FROM memory WHERE id IN (SELECT value FROM json_each(:memories))
    UNION ALL SELECT key FROM memory WHERE id IN (SELECT value FROM json_each(:memories))
    UNION ALL SELECT source FROM memory WHERE id IN (SELECT value FROM json_each(:memories))
    UNION ALL SELECT metadata FROM memory WHERE id IN (SELECT value FROM json_each(:memories))
    UNION ALL SELECT namespace FROM memory WHERE id IN (SELECT value FROM json_each(:memories))
    UNION ALL SELECT text FROM memory_history
    WHERE memory_id IN (SELECT value FROM json_each(:memories))
    UNION ALL SELECT metadata FROM memory_history
    WHERE memory_id IN (SELECT value FROM json_each(:memories))
    UNION ALL SELECT name FROM state WHERE name IN (SELECT value FROM json_each(:states))
    UNION ALL SELECT value FROM state WHERE name IN (SELECT value FROM json_each(:states))
    UNION ALL SELECT path FROM file WHERE path IN (SELECT value FROM json_each(:files))
    UNION ALL SELECT text FROM file WHERE path IN (SELECT value FROM json_each(:files))
    UNION ALL SELECT text FROM file_version WHERE path IN (SELECT value FROM json_each(:files))
)
SELECT DISTINCT text FROM texts
WHERE typeof(text) = 'text' AND text NOT IN ('', '{}', '[]', '""')

-- name: blobs
WITH gone (no) AS (
    SELECT no FROM vector WHERE kind = 0 AND seq IN (SELECT value FROM json_each(:messages))
    UNION ALL SELECT v.no FROM memory AS m JOIN vector AS v ON v.kind = 1 AND v.seq = m.seq
    WHERE m.id IN (SELECT value FROM json_each(:memories))
), blobs (data) AS (
    SELECT vector FROM vector WHERE no IN (SELECT no FROM gone)
    UNION ALL SELECT text_hash FROM vector WHERE no IN (SELECT no FROM gone)
    UNION ALL SELECT tokens FROM vector_tokens WHERE no IN (SELECT no FROM gone)
    UNION ALL SELECT text_hash FROM memory WHERE id IN (SELECT value FROM json_each(:memories))
)
SELECT DISTINCT data FROM blobs WHERE length(data) > 0
