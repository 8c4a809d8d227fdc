-- Tamper evidence: each row of what is canonical is committed to when it comes and when it changes,
-- and each commitment is linked to the last. Triggers do it, so no write can leave it out, and they
-- need the owner's key, so nobody else can do it. See stores/sqlite/marks.py.

CREATE TABLE chain (
    no INTEGER PRIMARY KEY, -- from 1, without a gap
    what TEXT, -- the row's table
    ref, -- which row of it; goes with the row
    mark BLOB, -- 16 random bytes, which go with the row, then the commitment to it
    ends INTEGER, -- the entry whose row went, or became another; then nothing else is said
    is_linked INTEGER NOT NULL DEFAULT 1 -- whether a link was made of it and those before it
);

CREATE INDEX chain_of_row ON chain (what, ref) WHERE ref IS NOT NULL;

-- How many entries were linked, and what they come to. No entry says what it came to by then, so
-- nobody without the key can cut the end off.
CREATE TABLE chain_head (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    entries INTEGER NOT NULL,
    link BLOB NOT NULL,
    changing INTEGER, -- the entry of the row that is being changed, if that row is what it says
    ended INTEGER -- what the last entry ends
);

INSERT INTO chain_head VALUES (1, 0, zeroblob(32), NULL, NULL);

-- What a link is made of: each kind of entry in a form that no other has.
CREATE VIEW chain_said AS
SELECT no, is_linked, ends, no || ' ' || typeof(what) || hex(what) || ' ' || typeof(mark)
    || hex(substr(mark, -32)) || ' ' || typeof(ends) || hex(ends) AS said
FROM chain;

CREATE TRIGGER chain_grows AFTER INSERT ON chain WHEN NEW.is_linked BEGIN
    UPDATE chain_head SET
        entries = NEW.no, ended = NEW.ends,
        link = lifelong_link(CAST(link AS BLOB), (
            SELECT group_concat(s.said, ';' ORDER BY s.no) FROM chain_said AS s
            WHERE s.no > chain_head.entries
        ));
END;

-- Messages that came together are linked together, once the session says so.
CREATE TRIGGER chain_takes_messages AFTER UPDATE OF last_seq ON session
WHEN (SELECT max(no) FROM chain) > (SELECT entries FROM chain_head) BEGIN
    UPDATE chain_head SET
        entries = (SELECT max(no) FROM chain), ended = NULL,
        link = lifelong_link(CAST(link AS BLOB), (
            SELECT group_concat(s.said, ';' ORDER BY s.no) FROM chain_said AS s
            WHERE s.no > chain_head.entries
        ));
    UPDATE chain SET is_linked = 1 WHERE no = (SELECT entries FROM chain_head);
END;

-- Without the random bytes what is left tells nothing of the row, not even to who has the key.
CREATE TRIGGER chain_lets_go AFTER INSERT ON chain WHEN NEW.ends IS NOT NULL BEGIN
    UPDATE chain SET ref = NULL, mark = substr(mark, -32) WHERE no = NEW.ends;
END;

-- What is committed to is said in these views. Texts go in as bytes: damaged ones are no text.
-- A + takes a column's type away, without which the index of `ref` would not be used.

CREATE VIEW session_marked AS
SELECT t.no AS ref, c.no AS entry, c.mark, lifelong_mark(
    coalesce(CAST(c.mark AS BLOB), randomblob(16)), CAST(t.metadata AS BLOB), 'session', t.no,
    CAST(t.id AS BLOB), CAST(t.title AS BLOB), CAST(t.source AS BLOB), t.created_at, typeof(t.id)
    || typeof(t.title) || typeof(t.source) || typeof(t.metadata)
) AS due_mark
FROM session AS t LEFT JOIN chain AS c
    ON c.what = 'session' AND c.ref = +t.no;

CREATE VIEW message_marked AS
SELECT t.seq AS ref, c.no AS entry, c.mark, lifelong_mark(
    coalesce(CAST(c.mark AS BLOB), randomblob(16)), CAST(t.payload AS BLOB), 'message', t.seq,
    t.session_no, t.trust, t.sent_at, t.recorded_at, CAST(t.id AS BLOB), CAST(t.role AS BLOB),
    CAST(t.speaker AS BLOB), CAST(t.format AS BLOB), typeof(t.id) || typeof(t.role)
    || typeof(t.speaker) || typeof(t.format) || typeof(t.payload)
) AS due_mark
FROM message AS t LEFT JOIN chain AS c
    ON c.what = 'message' AND c.ref = +t.seq;

-- All but how often it was of use, which rules it passed, and its seal, which proves itself.
CREATE VIEW memory_marked AS
SELECT t.seq AS ref, c.no AS entry, c.mark, lifelong_mark(
    coalesce(CAST(c.mark AS BLOB), randomblob(16)), CAST(t.text AS BLOB), 'memory', t.seq,
    CAST(t.id AS BLOB), t.text_hash, CAST(t.kind AS BLOB), CAST(t.namespace AS BLOB),
    t.importance, CAST(t.channel AS BLOB), CAST(t.source AS BLOB), t.trust, CAST(t.key AS BLOB),
    CAST(t.metadata AS BLOB), t.recorded_at, t.updated_at, t.valid_from, t.valid_to, t.expires_at,
    CAST(t.superseded_by AS BLOB), t.superseded_at, t.quarantined_at, CAST(t.held_for AS BLOB),
    t.stale_since, t.ended_at, t.confirmed_at, typeof(t.id) || typeof(t.text) || typeof(t.kind)
    || typeof(t.namespace) || typeof(t.channel) || typeof(t.source) || typeof(t.key)
    || typeof(t.metadata) || typeof(t.superseded_by) || typeof(t.held_for)
) AS due_mark
FROM memory AS t LEFT JOIN chain AS c
    ON c.what = 'memory' AND c.ref = +t.seq;

CREATE VIEW memory_parent_marked AS
SELECT hex(t.memory_id) || '.' || t.position AS ref,
    t.memory_id, t.position, c.no AS entry, c.mark, lifelong_mark(
    coalesce(CAST(c.mark AS BLOB), randomblob(16)), CAST(t.parent_id AS BLOB), 'memory_parent',
    CAST(t.memory_id AS BLOB), t.position, t.parent_seq, typeof(t.memory_id)
    || typeof(t.parent_id)
) AS due_mark
FROM memory_parent AS t LEFT JOIN chain AS c
    ON c.what = 'memory_parent' AND c.ref = hex(t.memory_id) || '.' || t.position;

CREATE VIEW memory_history_marked AS
SELECT t.seq AS ref, c.no AS entry, c.mark, lifelong_mark(
    coalesce(CAST(c.mark AS BLOB), randomblob(16)), CAST(t.text AS BLOB), 'memory_history', t.seq,
    t.at, CAST(t.memory_id AS BLOB), CAST(t.change AS BLOB), CAST(t.metadata AS BLOB),
    typeof(t.memory_id) || typeof(t.change) || typeof(t.text) || typeof(t.metadata)
) AS due_mark
FROM memory_history AS t LEFT JOIN chain AS c
    ON c.what = 'memory_history' AND c.ref = +t.seq;

CREATE VIEW state_marked AS
SELECT t.name AS ref, c.no AS entry, c.mark, lifelong_mark(
    coalesce(CAST(c.mark AS BLOB), randomblob(16)), CAST(t.value AS BLOB), 'state',
    CAST(t.name AS BLOB), t.updated_at, typeof(t.name) || typeof(t.value)
) AS due_mark
FROM state AS t LEFT JOIN chain AS c
    ON c.what = 'state' AND c.ref = +t.name;

-- All but when it was last read.
CREATE VIEW file_marked AS
SELECT t.version AS ref, c.no AS entry, c.mark, lifelong_mark(
    coalesce(CAST(c.mark AS BLOB), randomblob(16)), CAST(t.text AS BLOB), 'file', t.version,
    CAST(t.path AS BLOB), CAST(t.fold AS BLOB), t.bytes, CAST(t.channel AS BLOB),
    CAST(t.source AS BLOB), t.trust, t.is_suspect, t.created_at, t.written_at, typeof(t.path)
    || typeof(t.fold) || typeof(t.channel) || typeof(t.source) || typeof(t.text)
) AS due_mark
FROM file AS t LEFT JOIN chain AS c
    ON c.what = 'file' AND c.ref = +t.version;

CREATE VIEW file_version_marked AS
SELECT t.seq AS ref, c.no AS entry, c.mark, lifelong_mark(
    coalesce(CAST(c.mark AS BLOB), randomblob(16)), CAST(t.text AS BLOB), 'file_version', t.seq,
    CAST(t.path AS BLOB), t.version, t.bytes, CAST(t.channel AS BLOB), CAST(t.source AS BLOB),
    t.trust, t.is_suspect, t.written_at, t.ended_at, CAST(t.ended_by AS BLOB), typeof(t.path)
    || typeof(t.channel) || typeof(t.source) || typeof(t.ended_by) || typeof(t.text)
) AS due_mark
FROM file_version AS t LEFT JOIN chain AS c
    ON c.what = 'file_version' AND c.ref = +t.seq;

CREATE VIEW file_parent_marked AS
SELECT t.version || '.' || t.position AS ref,
    t.version, t.position, c.no AS entry, c.mark, lifelong_mark(
    coalesce(CAST(c.mark AS BLOB), randomblob(16)), CAST(t.parent_id AS BLOB), 'file_parent',
    t.version, t.position, t.parent_seq, typeof(t.parent_id)
) AS due_mark
FROM file_parent AS t LEFT JOIN chain AS c
    ON c.what = 'file_parent' AND c.ref = t.version || '.' || t.position;

CREATE VIEW tombstone_marked AS
SELECT hex(t.what) || '.' || hex(t.session_id) || '.' || hex(t.id) AS ref,
    t.what, t.session_id, t.id, c.no AS entry, c.mark, lifelong_mark(
    coalesce(CAST(c.mark AS BLOB), randomblob(16)), CAST(t.id AS BLOB), 'tombstone',
    CAST(t.what AS BLOB), CAST(t.session_id AS BLOB), t.forgotten_at, typeof(t.what)
    || typeof(t.session_id) || typeof(t.id)
) AS due_mark
FROM tombstone AS t LEFT JOIN chain AS c
    ON c.what = 'tombstone' AND c.ref = hex(t.what) || '.' || hex(t.session_id) || '.' || hex(t.id);

CREATE VIEW legal_hold_marked AS
SELECT t.id AS ref, c.no AS entry, c.mark, lifelong_mark(
    coalesce(CAST(c.mark AS BLOB), randomblob(16)), CAST(t.reason AS BLOB), 'legal_hold',
    CAST(t.id AS BLOB), CAST(t.session_id AS BLOB), t.placed_at, typeof(t.id)
    || typeof(t.session_id) || typeof(t.reason)
) AS due_mark
FROM legal_hold AS t LEFT JOIN chain AS c
    ON c.what = 'legal_hold' AND c.ref = +t.id;

-- Each row that is in the chain's care, and whether it is what its entry says.
CREATE VIEW chained AS
SELECT 'session' AS what, ref, entry, mark IS due_mark AS is_whole FROM session_marked
UNION ALL SELECT 'message', ref, entry, mark IS due_mark FROM message_marked
UNION ALL SELECT 'memory', ref, entry, mark IS due_mark FROM memory_marked
UNION ALL SELECT 'memory_parent', ref, entry, mark IS due_mark FROM memory_parent_marked
UNION ALL SELECT 'memory_history', ref, entry, mark IS due_mark FROM memory_history_marked
UNION ALL SELECT 'state', ref, entry, mark IS due_mark FROM state_marked
UNION ALL SELECT 'file', ref, entry, mark IS due_mark FROM file_marked
UNION ALL SELECT 'file_version', ref, entry, mark IS due_mark FROM file_version_marked
UNION ALL SELECT 'file_parent', ref, entry, mark IS due_mark FROM file_parent_marked
UNION ALL SELECT 'tombstone', ref, entry, mark IS due_mark FROM tombstone_marked
UNION ALL SELECT 'legal_hold', ref, entry, mark IS due_mark FROM legal_hold_marked;

-- A row that comes. Of messages the mark is made here once more, since so many come at once.

CREATE TRIGGER session_chained AFTER INSERT ON session BEGIN
    INSERT INTO chain (what, ref, mark)
    SELECT 'session', ref, due_mark FROM session_marked
    WHERE ref = NEW.no;
END;

CREATE TRIGGER message_chained AFTER INSERT ON message BEGIN
    INSERT INTO chain (is_linked, what, ref, mark)
    VALUES (0, 'message', NEW.seq, lifelong_mark(
        randomblob(16), CAST(NEW.payload AS BLOB), 'message', NEW.seq, NEW.session_no, NEW.trust,
        NEW.sent_at, NEW.recorded_at, CAST(NEW.id AS BLOB), CAST(NEW.role AS BLOB),
        CAST(NEW.speaker AS BLOB), CAST(NEW.format AS BLOB), typeof(NEW.id) || typeof(NEW.role)
        || typeof(NEW.speaker) || typeof(NEW.format) || typeof(NEW.payload)
    ));
END;

CREATE TRIGGER memory_chained AFTER INSERT ON memory BEGIN
    INSERT INTO chain (what, ref, mark)
    SELECT 'memory', ref, due_mark FROM memory_marked
    WHERE ref = NEW.seq;
END;

CREATE TRIGGER memory_parent_chained AFTER INSERT ON memory_parent BEGIN
    INSERT INTO chain (what, ref, mark)
    SELECT 'memory_parent', ref, due_mark FROM memory_parent_marked
    WHERE memory_id = NEW.memory_id AND position = NEW.position;
END;

CREATE TRIGGER memory_history_chained AFTER INSERT ON memory_history BEGIN
    INSERT INTO chain (what, ref, mark)
    SELECT 'memory_history', ref, due_mark FROM memory_history_marked
    WHERE ref = NEW.seq;
END;

CREATE TRIGGER state_chained AFTER INSERT ON state BEGIN
    INSERT INTO chain (what, ref, mark)
    SELECT 'state', ref, due_mark FROM state_marked
    WHERE ref = NEW.name;
END;

CREATE TRIGGER file_chained AFTER INSERT ON file BEGIN
    INSERT INTO chain (what, ref, mark)
    SELECT 'file', ref, due_mark FROM file_marked
    WHERE ref = NEW.version;
END;

CREATE TRIGGER file_version_chained AFTER INSERT ON file_version BEGIN
    INSERT INTO chain (what, ref, mark)
    SELECT 'file_version', ref, due_mark FROM file_version_marked
    WHERE ref = NEW.seq;
END;

CREATE TRIGGER file_parent_chained AFTER INSERT ON file_parent BEGIN
    INSERT INTO chain (what, ref, mark)
    SELECT 'file_parent', ref, due_mark FROM file_parent_marked
    WHERE version = NEW.version AND position = NEW.position;
END;

CREATE TRIGGER tombstone_chained AFTER INSERT ON tombstone BEGIN
    INSERT INTO chain (what, ref, mark)
    SELECT 'tombstone', ref, due_mark FROM tombstone_marked
    WHERE what = NEW.what AND session_id = NEW.session_id AND id = NEW.id;
END;

CREATE TRIGGER legal_hold_chained AFTER INSERT ON legal_hold BEGIN
    INSERT INTO chain (what, ref, mark)
    SELECT 'legal_hold', ref, due_mark FROM legal_hold_marked
    WHERE ref = NEW.id;
END;

-- A row that goes.

CREATE TRIGGER session_left_chain AFTER DELETE ON session BEGIN
    INSERT INTO chain (ends) SELECT no FROM chain
    WHERE what = 'session' AND ref = +OLD.no;
END;

CREATE TRIGGER message_left_chain AFTER DELETE ON message BEGIN
    INSERT INTO chain (ends) SELECT no FROM chain
    WHERE what = 'message' AND ref = +OLD.seq;
END;

CREATE TRIGGER memory_left_chain AFTER DELETE ON memory BEGIN
    INSERT INTO chain (ends) SELECT no FROM chain
    WHERE what = 'memory' AND ref = +OLD.seq;
END;

CREATE TRIGGER memory_parent_left_chain AFTER DELETE ON memory_parent BEGIN
    INSERT INTO chain (ends) SELECT no FROM chain
    WHERE what = 'memory_parent' AND ref = hex(OLD.memory_id) || '.' || OLD.position;
END;

CREATE TRIGGER memory_history_left_chain AFTER DELETE ON memory_history BEGIN
    INSERT INTO chain (ends) SELECT no FROM chain
    WHERE what = 'memory_history' AND ref = +OLD.seq;
END;

CREATE TRIGGER state_left_chain AFTER DELETE ON state BEGIN
    INSERT INTO chain (ends) SELECT no FROM chain
    WHERE what = 'state' AND ref = +OLD.name;
END;

CREATE TRIGGER file_left_chain AFTER DELETE ON file BEGIN
    INSERT INTO chain (ends) SELECT no FROM chain
    WHERE what = 'file' AND ref = +OLD.version;
END;

CREATE TRIGGER file_version_left_chain AFTER DELETE ON file_version BEGIN
    INSERT INTO chain (ends) SELECT no FROM chain
    WHERE what = 'file_version' AND ref = +OLD.seq;
END;

CREATE TRIGGER file_parent_left_chain AFTER DELETE ON file_parent BEGIN
    INSERT INTO chain (ends) SELECT no FROM chain
    WHERE what = 'file_parent' AND ref = OLD.version || '.' || OLD.position;
END;

CREATE TRIGGER tombstone_left_chain AFTER DELETE ON tombstone BEGIN
    INSERT INTO chain (ends) SELECT no FROM chain
    WHERE what = 'tombstone'
        AND ref = hex(OLD.what) || '.' || hex(OLD.session_id) || '.' || hex(OLD.id);
END;

CREATE TRIGGER legal_hold_left_chain AFTER DELETE ON legal_hold BEGIN
    INSERT INTO chain (ends) SELECT no FROM chain
    WHERE what = 'legal_hold' AND ref = +OLD.id;
END;

-- A row that changes: its entry ends and it gets another, if it was what its entry said. What was
-- changed behind the engine keeps the entry that says so. Parents and holds are never changed.

CREATE TRIGGER session_changes BEFORE UPDATE ON session BEGIN
    UPDATE chain_head SET changing = (
        SELECT entry FROM session_marked
        WHERE ref = OLD.no AND mark IS due_mark
    );
END;

CREATE TRIGGER session_changed AFTER UPDATE ON session BEGIN
    INSERT INTO chain (ends) SELECT changing FROM chain_head
    WHERE changing IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM session_marked
        WHERE ref = NEW.no
            AND entry = changing AND mark IS due_mark
    );
    INSERT INTO chain (what, ref, mark)
    SELECT 'session', ref, due_mark FROM session_marked
    WHERE ref = NEW.no AND entry IS NULL
        AND (SELECT changing = ended FROM chain_head);
END;

CREATE TRIGGER message_changes BEFORE UPDATE ON message BEGIN
    UPDATE chain_head SET changing = (
        SELECT entry FROM message_marked
        WHERE ref = OLD.seq AND mark IS due_mark
    );
END;

CREATE TRIGGER message_changed AFTER UPDATE ON message BEGIN
    INSERT INTO chain (ends) SELECT changing FROM chain_head
    WHERE changing IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM message_marked
        WHERE ref = NEW.seq
            AND entry = changing AND mark IS due_mark
    );
    INSERT INTO chain (what, ref, mark)
    SELECT 'message', ref, due_mark FROM message_marked
    WHERE ref = NEW.seq AND entry IS NULL
        AND (SELECT changing = ended FROM chain_head);
END;

CREATE TRIGGER memory_changes BEFORE UPDATE ON memory BEGIN
    UPDATE chain_head SET changing = (
        SELECT entry FROM memory_marked
        WHERE ref = OLD.seq AND mark IS due_mark
    );
END;

CREATE TRIGGER memory_changed AFTER UPDATE ON memory BEGIN
    INSERT INTO chain (ends) SELECT changing FROM chain_head
    WHERE changing IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM memory_marked
        WHERE ref = NEW.seq
            AND entry = changing AND mark IS due_mark
    );
    INSERT INTO chain (what, ref, mark)
    SELECT 'memory', ref, due_mark FROM memory_marked
    WHERE ref = NEW.seq AND entry IS NULL
        AND (SELECT changing = ended FROM chain_head);
END;

CREATE TRIGGER memory_history_changes BEFORE UPDATE ON memory_history BEGIN
    UPDATE chain_head SET changing = (
        SELECT entry FROM memory_history_marked
        WHERE ref = OLD.seq AND mark IS due_mark
    );
END;

CREATE TRIGGER memory_history_changed AFTER UPDATE ON memory_history BEGIN
    INSERT INTO chain (ends) SELECT changing FROM chain_head
    WHERE changing IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM memory_history_marked
        WHERE ref = NEW.seq
            AND entry = changing AND mark IS due_mark
    );
    INSERT INTO chain (what, ref, mark)
    SELECT 'memory_history', ref, due_mark FROM memory_history_marked
    WHERE ref = NEW.seq AND entry IS NULL
        AND (SELECT changing = ended FROM chain_head);
END;

CREATE TRIGGER state_changes BEFORE UPDATE ON state BEGIN
    UPDATE chain_head SET changing = (
        SELECT entry FROM state_marked
        WHERE ref = OLD.name AND mark IS due_mark
    );
END;

CREATE TRIGGER state_changed AFTER UPDATE ON state BEGIN
    INSERT INTO chain (ends) SELECT changing FROM chain_head
    WHERE changing IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM state_marked
        WHERE ref = NEW.name
            AND entry = changing AND mark IS due_mark
    );
    INSERT INTO chain (what, ref, mark)
    SELECT 'state', ref, due_mark FROM state_marked
    WHERE ref = NEW.name AND entry IS NULL
        AND (SELECT changing = ended FROM chain_head);
END;

CREATE TRIGGER file_changes BEFORE UPDATE ON file BEGIN
    UPDATE chain_head SET changing = (
        SELECT entry FROM file_marked
        WHERE ref = OLD.version AND mark IS due_mark
    );
END;

CREATE TRIGGER file_changed AFTER UPDATE ON file BEGIN
    INSERT INTO chain (ends) SELECT changing FROM chain_head
    WHERE changing IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM file_marked
        WHERE ref = NEW.version
            AND entry = changing AND mark IS due_mark
    );
    INSERT INTO chain (what, ref, mark)
    SELECT 'file', ref, due_mark FROM file_marked
    WHERE ref = NEW.version AND entry IS NULL
        AND (SELECT changing = ended FROM chain_head);
END;

CREATE TRIGGER file_version_changes BEFORE UPDATE ON file_version BEGIN
    UPDATE chain_head SET changing = (
        SELECT entry FROM file_version_marked
        WHERE ref = OLD.seq AND mark IS due_mark
    );
END;

CREATE TRIGGER file_version_changed AFTER UPDATE ON file_version BEGIN
    INSERT INTO chain (ends) SELECT changing FROM chain_head
    WHERE changing IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM file_version_marked
        WHERE ref = NEW.seq
            AND entry = changing AND mark IS due_mark
    );
    INSERT INTO chain (what, ref, mark)
    SELECT 'file_version', ref, due_mark FROM file_version_marked
    WHERE ref = NEW.seq AND entry IS NULL
        AND (SELECT changing = ended FROM chain_head);
END;

CREATE TRIGGER tombstone_changes BEFORE UPDATE ON tombstone BEGIN
    UPDATE chain_head SET changing = (
        SELECT entry FROM tombstone_marked
        WHERE what = OLD.what AND session_id = OLD.session_id AND id = OLD.id AND mark IS due_mark
    );
END;

CREATE TRIGGER tombstone_changed AFTER UPDATE ON tombstone BEGIN
    INSERT INTO chain (ends) SELECT changing FROM chain_head
    WHERE changing IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM tombstone_marked
        WHERE what = NEW.what AND session_id = NEW.session_id AND id = NEW.id
            AND entry = changing AND mark IS due_mark
    );
    INSERT INTO chain (what, ref, mark)
    SELECT 'tombstone', ref, due_mark FROM tombstone_marked
    WHERE what = NEW.what AND session_id = NEW.session_id AND id = NEW.id AND entry IS NULL
        AND (SELECT changing = ended FROM chain_head);
END;

-- What was there before.
INSERT INTO chain (what, ref, mark)
SELECT 'session', ref, due_mark FROM session_marked;
INSERT INTO chain (what, ref, mark)
SELECT 'message', ref, due_mark FROM message_marked;
INSERT INTO chain (what, ref, mark)
SELECT 'memory', ref, due_mark FROM memory_marked;
INSERT INTO chain (what, ref, mark)
SELECT 'memory_parent', ref, due_mark FROM memory_parent_marked;
INSERT INTO chain (what, ref, mark)
SELECT 'memory_history', ref, due_mark FROM memory_history_marked;
INSERT INTO chain (what, ref, mark)
SELECT 'state', ref, due_mark FROM state_marked;
INSERT INTO chain (what, ref, mark)
SELECT 'file', ref, due_mark FROM file_marked;
INSERT INTO chain (what, ref, mark)
SELECT 'file_version', ref, due_mark FROM file_version_marked;
INSERT INTO chain (what, ref, mark)
SELECT 'file_parent', ref, due_mark FROM file_parent_marked;
INSERT INTO chain (what, ref, mark)
SELECT 'tombstone', ref, due_mark FROM tombstone_marked;
INSERT INTO chain (what, ref, mark)
SELECT 'legal_hold', ref, due_mark FROM legal_hold_marked;
