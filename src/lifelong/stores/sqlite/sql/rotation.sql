-- name: retired
SELECT value FROM property WHERE name = 'retired'

-- name: mark_moved
UPDATE property SET value = 2 WHERE name = 'retired' AND value = 0
