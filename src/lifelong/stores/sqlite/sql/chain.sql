-- name: code
SELECT name, sql FROM sqlite_schema
WHERE type IN ('trigger', 'view', 'index') AND sql IS NOT NULL

-- name: tables
SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('chain', 'chain_head')

-- name: count
SELECT count(*) FROM chain

-- name: count_rows
SELECT count(*) FROM chain WHERE ref IS NOT NULL

-- name: entries
SELECT no, is_linked, ends, said FROM chain_said ORDER BY no

-- name: head
SELECT entries, CAST(link AS BLOB) FROM chain_head

-- name: rows
SELECT what, CAST(ref AS BLOB), entry, is_whole FROM chained

-- name: entry
SELECT CAST(what AS BLOB), CAST(ref AS BLOB) FROM chain WHERE no = ?

-- name: name_of_message
SELECT CAST(m.id AS BLOB), CAST(s.id AS BLOB)
FROM message AS m LEFT JOIN session AS s ON s.no = m.session_no WHERE m.seq = ?

-- name: name_of_memory
SELECT CAST(id AS BLOB) FROM memory WHERE seq = ?

-- name: broken_seals
SELECT seq FROM memory_read WHERE seal IS NOT due_seal
