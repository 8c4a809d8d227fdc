-- name: begin
SELECT count(*) FROM sqlite_schema

-- name: tables
SELECT name, printf('SELECT * FROM "%w"', name), NOT EXISTS ( -- what is within a full-text index
    SELECT 1 FROM sqlite_schema AS v
    WHERE v.sql LIKE 'CREATE VIRTUAL TABLE%' AND t.name LIKE v.name || '\_%' ESCAPE '\'
)
FROM sqlite_schema AS t
WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL TABLE%'
ORDER BY name
