-- name: texts_of_memory
SELECT text FROM memory WHERE id = ? UNION SELECT text FROM memory_history WHERE memory_id = ?

-- name: bar
INSERT INTO tombstone (what, session_id, id, forgotten_at)
VALUES ('text', '', hex(lifelong_seal('text', ?, ?)), ?)
ON CONFLICT DO UPDATE SET forgotten_at = excluded.forgotten_at

-- name: is_barred
SELECT 1 FROM tombstone
WHERE what = 'text' AND session_id = '' AND id = hex(lifelong_seal('text', ?, ?))

-- name: any
SELECT 1 FROM tombstone WHERE what = 'text' LIMIT 1

-- name: lift
DELETE FROM tombstone
WHERE what = 'text' AND session_id = '' AND id = hex(lifelong_seal('text', ?, ?))

-- name: bar_name
INSERT INTO tombstone (what, session_id, id, forgotten_at)
VALUES (?, '', hex(lifelong_seal('name', ?, ?)), ?)
ON CONFLICT DO UPDATE SET forgotten_at = excluded.forgotten_at

-- name: is_name_barred
SELECT 1 FROM tombstone
WHERE what = ? AND session_id = '' AND id = hex(lifelong_seal('name', ?, ?))

-- name: lift_name
DELETE FROM tombstone
WHERE what = ? AND session_id = '' AND id = hex(lifelong_seal('name', ?, ?))
