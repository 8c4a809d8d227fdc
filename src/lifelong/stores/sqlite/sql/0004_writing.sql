-- Writing: where a memory came from cannot be changed behind our back, and what waits for a person.
-- Canonical: conflict, confirmation, extraction. Derived, rebuilt by `reindex`: memory_count.

ALTER TABLE memory ADD COLUMN held_for TEXT; -- why it is quarantined; see lifelong.writing.HOLDS
ALTER TABLE memory ADD COLUMN stale_since INTEGER; -- something it was made from fell then
ALTER TABLE memory ADD COLUMN ended_at INTEGER; -- when what replaced it became true
ALTER TABLE memory ADD COLUMN confirmed_at INTEGER; -- a person vouched for it
ALTER TABLE memory ADD COLUMN screened_with TEXT NOT NULL DEFAULT ''; -- the version of the rules
ALTER TABLE memory ADD COLUMN seal BLOB; -- HMAC of text, origin and trust with the owner's key

UPDATE memory SET ended_at = superseded_at;
UPDATE memory SET held_for = 'suspect' WHERE quarantined_at IS NOT NULL;

-- A memory with its parents, and the seal that it is due: what is sealed is said here alone.
CREATE VIEW memory_read AS
SELECT m.*, (
    SELECT json_group_array(p.parent_id ORDER BY p.position)
    FROM memory_parent AS p WHERE p.memory_id = m.id
) AS parents, lifelong_seal(
    m.id, m.text, m.channel, m.source, m.trust, m.recorded_at, m.confirmed_at, (
        SELECT json_group_array(p.parent_id ORDER BY p.position)
        FROM memory_parent AS p WHERE p.memory_id = m.id
    )
) AS due_seal
FROM memory AS m;

UPDATE memory SET seal = (SELECT due_seal FROM memory_read WHERE id = memory.id);

CREATE INDEX memory_held ON memory (held_for) WHERE held_for IS NOT NULL;
CREATE INDEX memory_by_rules ON memory (screened_with); -- rescan, when rules change
CREATE INDEX memory_by_source ON memory (source) WHERE source <> ''; -- revoke

-- Two live memories that say different things of one thing. A settled one stays, so that it is not
-- asked again.
CREATE TABLE conflict (
    older_id TEXT NOT NULL,
    newer_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    settled_at INTEGER,
    PRIMARY KEY (older_id, newer_id)
) WITHOUT ROWID;

CREATE INDEX conflict_by_newer ON conflict (newer_id);

-- What lets a person vouch for a memory, once. Only the hash of the token is kept.
CREATE TABLE confirmation (
    token_hash BLOB PRIMARY KEY,
    memory_id TEXT NOT NULL,
    text_hash BLOB NOT NULL, -- of the text as it was shown, to the letter
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX confirmation_by_memory ON confirmation (memory_id);

-- Which messages an extractor has read: nothing is extracted twice.
CREATE TABLE extraction (
    extractor TEXT NOT NULL,
    message_seq INTEGER NOT NULL,
    PRIMARY KEY (extractor, message_seq)
) WITHOUT ROWID;

CREATE INDEX extraction_by_message ON extraction (message_seq);

-- How many memories are not superseded: a quota is asked at each write, so nothing is counted then.
CREATE TABLE memory_count (
    namespace TEXT NOT NULL,
    kind TEXT NOT NULL,
    is_held INTEGER NOT NULL,
    memories INTEGER NOT NULL,
    PRIMARY KEY (namespace, kind, is_held)
) WITHOUT ROWID;

INSERT INTO memory_count
SELECT namespace, kind, quarantined_at IS NOT NULL, count(*) FROM memory
WHERE superseded_by IS NULL GROUP BY 1, 2, 3;

CREATE TRIGGER memory_counted_in AFTER INSERT ON memory WHEN NEW.superseded_by IS NULL BEGIN
    INSERT INTO memory_count VALUES (NEW.namespace, NEW.kind, NEW.quarantined_at IS NOT NULL, 1)
    ON CONFLICT DO UPDATE SET memories = memories + 1;
END;

CREATE TRIGGER memory_counted_out AFTER DELETE ON memory WHEN OLD.superseded_by IS NULL BEGIN
    UPDATE memory_count SET memories = memories - 1
    WHERE namespace = OLD.namespace AND kind = OLD.kind
        AND is_held = (OLD.quarantined_at IS NOT NULL);
END;

CREATE TRIGGER memory_counted_anew
AFTER UPDATE OF superseded_by, quarantined_at, kind ON memory BEGIN
    UPDATE memory_count SET memories = memories - 1
    WHERE OLD.superseded_by IS NULL AND namespace = OLD.namespace AND kind = OLD.kind
        AND is_held = (OLD.quarantined_at IS NOT NULL);
    INSERT INTO memory_count
    SELECT NEW.namespace, NEW.kind, NEW.quarantined_at IS NOT NULL, 1
    WHERE NEW.superseded_by IS NULL
    ON CONFLICT DO UPDATE SET memories = memories + 1;
END;
