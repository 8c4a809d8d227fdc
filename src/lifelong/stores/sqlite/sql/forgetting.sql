-- name: receipts
SELECT id, at, scope, counts, completed_at FROM receipt ORDER BY at, id

-- name: pending
SELECT count(*) FROM receipt WHERE completed_at IS NULL

-- name: complete
UPDATE receipt SET completed_at = max(?, at) WHERE completed_at IS NULL

-- name: place_hold
INSERT INTO legal_hold (id, session_id, reason, placed_at) VALUES (?, ?, ?, ?)

-- name: holds
SELECT id, reason, session_id, placed_at FROM legal_hold ORDER BY placed_at, id

-- name: end_hold
DELETE FROM legal_hold WHERE id = ?

-- name: set_rule
INSERT INTO retention (what, name, saves, newest, days) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET saves = excluded.saves, newest = excluded.newest, days = excluded.days

-- name: remove_rule
DELETE FROM retention WHERE what = ? AND name = ?

-- name: rules
SELECT what, name, saves, newest, days FROM retention ORDER BY what, name

-- name: limit_kind
UPDATE memory SET expires_at = recorded_at + CAST(:days * 86400000000 AS INTEGER)
WHERE kind = :kind AND (
    expires_at IS NULL OR expires_at > recorded_at + CAST(:days * 86400000000 AS INTEGER)
)

-- name: due_memories
SELECT id, seq IN (
    SELECT mm.seq FROM memory AS mm JOIN memory_parent AS p ON p.memory_id = mm.id
        JOIN message AS m ON m.seq = p.parent_seq JOIN session AS s ON s.no = m.session_no
        JOIN legal_hold AS h ON h.session_id = s.id
) OR EXISTS (SELECT 1 FROM legal_hold WHERE session_id = '') AS is_on_hold
FROM memory
WHERE expires_at <= :now
    OR kind IN (SELECT name FROM retention WHERE what = 'kind' AND saves = 'nothing')
    OR EXISTS (SELECT 1 FROM retention WHERE what = 'owner' AND saves = 'nothing')
ORDER BY seq

-- name: due_messages
WITH ruled AS (
    SELECT s.no, s.id, coalesce(own.saves, common.saves, 'everything') AS saves,
        iif(own.what IS NULL, common.newest, own.newest) AS newest,
        iif(own.what IS NULL, common.days, own.days) AS days
    FROM session AS s
        LEFT JOIN retention AS own ON own.what = 'session' AND own.name = s.id
        LEFT JOIN retention AS common ON common.what = 'owner' AND common.name = ''
), placed AS (
    SELECT m.seq, m.recorded_at, r.id, r.saves, r.newest, r.days,
        row_number() OVER (PARTITION BY m.session_no ORDER BY m.seq DESC) AS place
    FROM ruled AS r JOIN message AS m ON m.session_no = r.no
    WHERE r.saves <> 'everything' OR r.days IS NOT NULL
)
SELECT seq, EXISTS (
    SELECT 1 FROM legal_hold AS h WHERE h.session_id IN ('', placed.id)
) AS is_on_hold
FROM placed
WHERE saves IN ('state', 'nothing')
    OR recorded_at <= :now - CAST(days * 86400000000 AS INTEGER)
    OR (saves = 'recent' AND place > newest)
ORDER BY seq

-- name: due_files
WITH latest (path, at) AS (
    SELECT path, max(read_at, written_at) FROM file
    UNION ALL
    SELECT path, max(ended_at) FROM file_version
    WHERE path NOT IN (SELECT path FROM file) GROUP BY path
)
SELECT path FROM latest
WHERE at <= :now - (
    SELECT CAST(days * 86400000000 AS INTEGER) FROM retention WHERE what = 'files'
) OR EXISTS (SELECT 1 FROM retention WHERE what = 'owner' AND saves = 'nothing')
ORDER BY path

-- name: any_owner_hold
SELECT 1 FROM legal_hold WHERE session_id = ''
