-- name: sizes
SELECT path, bytes FROM file ORDER BY path

-- name: file
SELECT f.*, NULL AS ended_at, '' AS ended_by, (
    SELECT json_group_array(p.parent_id ORDER BY p.position)
    FROM file_parent AS p WHERE p.version = f.version
) AS parents
FROM file AS f WHERE f.path = ?

-- name: files
SELECT f.*, NULL AS ended_at, '' AS ended_by, (
    SELECT json_group_array(p.parent_id ORDER BY p.position)
    FROM file_parent AS p WHERE p.version = f.version
) AS parents
FROM file AS f ORDER BY f.path

-- name: infos
SELECT f.path, f.bytes, f.version, f.channel, f.source, f.trust, f.is_suspect, f.created_at,
    f.written_at, f.read_at, (
        SELECT json_group_array(p.parent_id ORDER BY p.position)
        FROM file_parent AS p WHERE p.version = f.version
    ) AS parents
FROM file AS f ORDER BY f.path

-- name: versions
SELECT v.*, (
    SELECT json_group_array(p.parent_id ORDER BY p.position)
    FROM file_parent AS p WHERE p.version = v.version
) AS parents
FROM file_version AS v WHERE v.path = :path AND v.version = coalesce(:version, v.version)
ORDER BY v.version

-- name: all_versions
SELECT v.*, (
    SELECT json_group_array(p.parent_id ORDER BY p.position)
    FROM file_parent AS p WHERE p.version = v.version
) AS parents
FROM file_version AS v ORDER BY v.seq

-- name: next_version
UPDATE property SET value = value + 1 WHERE name = 'file_version' RETURNING value

-- name: put_file
INSERT INTO file (
    path, fold, version, bytes, channel, source, trust, is_suspect, created_at, written_at,
    read_at, text
)
VALUES (
    :path, :fold, :version, :bytes, :channel, :source, :trust, :is_suspect, :created_at,
    :written_at, :read_at, :text
)
ON CONFLICT (path) DO UPDATE SET
    version = excluded.version, bytes = excluded.bytes, channel = excluded.channel,
    source = excluded.source, trust = excluded.trust, is_suspect = excluded.is_suspect,
    written_at = excluded.written_at, read_at = max(read_at, excluded.read_at),
    text = excluded.text

-- name: add_parent
INSERT INTO file_parent (version, position, parent_id, parent_seq)
VALUES (:version, :position, :parent, coalesce(
    (SELECT p.parent_seq FROM file_parent AS p WHERE p.parent_id = :parent AND p.version = :mixed),
    (SELECT seq FROM message WHERE id = :parent)
))

-- name: add_version
INSERT INTO file_version (
    path, version, bytes, channel, source, trust, is_suspect, written_at, ended_at, ended_by, text
)
VALUES (
    :path, :version, :bytes, :channel, :source, :trust, :is_suspect, :written_at, :ended_at,
    :ended_by, :text
)

-- name: end_text
INSERT INTO file_version (
    path, version, bytes, channel, source, trust, is_suspect, written_at, ended_at, ended_by, text
)
SELECT path, version, bytes, channel, source, trust, is_suspect, written_at, :at, :why, text
FROM file WHERE path = :path

-- name: remove_file
DELETE FROM file WHERE path = ?

-- name: remove_versions
DELETE FROM file_version WHERE path = ?

-- name: move_file
UPDATE file SET path = :new, fold = :fold WHERE path = :old

-- name: move_versions
UPDATE file_version SET path = :new WHERE path = :old

-- name: drop_oldest_of_file
DELETE FROM file_version WHERE path = :path AND seq <= (
    SELECT seq FROM file_version WHERE path = :path ORDER BY seq DESC LIMIT 1 OFFSET :most
)

-- name: version_totals
SELECT count(*), coalesce(sum(bytes), 0) FROM file_version

-- name: drop_oldest
DELETE FROM file_version WHERE seq IN (
    SELECT seq FROM (
        SELECT seq, sum(bytes) OVER newer AS bytes_so_far, row_number() OVER newer AS number
        FROM file_version WINDOW newer AS (ORDER BY seq DESC)
    )
    WHERE bytes_so_far > :bytes OR number > :rows
)

-- name: is_on_hold
SELECT 1 FROM legal_hold LIMIT 1

-- name: note_read
UPDATE file SET read_at = max(read_at, :at) WHERE path = :path

-- name: texts
SELECT path, text FROM file UNION ALL SELECT path, text FROM file_version

-- name: unread_since
SELECT path FROM file WHERE read_at < :moment AND written_at < :moment ORDER BY path

-- name: made_from
WITH made (version) AS (
    SELECT version FROM file_parent
    WHERE parent_seq IS NULL AND parent_id IN (SELECT value FROM json_each(:memories))
    UNION
    SELECT version FROM file_parent
    WHERE parent_seq IN (SELECT value FROM json_each(:messages))
)
SELECT path FROM file WHERE version IN (SELECT version FROM made)
UNION SELECT path FROM file_version WHERE version IN (SELECT version FROM made)
ORDER BY path
