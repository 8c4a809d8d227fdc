-- Derived: what the beginning of a session was about, segment by segment, made from its messages.
-- Segments follow one another from the first message on. Whoever forgets a message forgets the
-- segment that it is in, and those after it.
CREATE TABLE summary (
    session_no INTEGER NOT NULL REFERENCES session (no),
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    text TEXT NOT NULL,
    carried TEXT NOT NULL, -- JSON: what must stand word for word
    made_by TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    PRIMARY KEY (session_no, last_seq)
) WITHOUT ROWID;

-- A file that was made anew must not look like the one before it.
UPDATE property SET value = value + abs(random() % 1000000007) WHERE name = 'generation';
