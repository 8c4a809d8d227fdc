-- Derived: what an embedder made of each message and each memory, and no word of either. Rows of
-- several models stand side by side and are never compared.
CREATE TABLE model (
    no INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL,
    token_dimensions INTEGER NOT NULL, -- 0 when it gives no vectors of tokens
    messages_to INTEGER NOT NULL DEFAULT 0, -- messages up to this number are known to have vectors
    memories_to INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE vector (
    no INTEGER PRIMARY KEY AUTOINCREMENT, -- rows are filled in any order, what is new by this one
    model_no INTEGER NOT NULL REFERENCES model (no),
    kind INTEGER NOT NULL, -- 0: of a message, 1: of a memory
    seq INTEGER NOT NULL, -- of that row
    text_hash BLOB NOT NULL, -- what has the same text has the same vector, without asking a model
    vector BLOB NOT NULL -- empty when there was no text
);

CREATE UNIQUE INDEX vector_of_row ON vector (kind, seq, model_no);
CREATE INDEX vector_by_text ON vector (text_hash);

-- Apart, so that reading all vectors reads none of these, which take many times as much.
CREATE TABLE vector_tokens (
    no INTEGER PRIMARY KEY REFERENCES vector (no) ON DELETE CASCADE,
    tokens BLOB NOT NULL
);

-- Grows when vectors are removed, so that a process drops what it holds in memory.
INSERT INTO property (name, value) VALUES ('vectors_removed', abs(random() % 1000000007));

-- A number must never be that of another vector, not even in a file that was made anew: by their
-- numbers a process tells which of those that it holds are still there.
INSERT INTO sqlite_sequence (name, seq) VALUES ('vector', abs(random() % 1000000007) << 20);
