-- File memory: files are rows, and no path of them is ever one of this machine's.
-- Canonical: file, file_version, file_parent.

-- Numbers of texts: one for all files of an owner, so that versions keep theirs when a file moves.
INSERT INTO property (name, value) VALUES ('file_version', 0);

CREATE TABLE file (
    path TEXT PRIMARY KEY, -- canonical; see lifelong.file_paths
    fold TEXT NOT NULL UNIQUE, -- what paths that cannot be told apart have in common
    version INTEGER NOT NULL UNIQUE,
    bytes INTEGER NOT NULL, -- of the text, in UTF-8
    channel TEXT NOT NULL, -- of the last writer
    source TEXT NOT NULL,
    trust INTEGER NOT NULL, -- the least of all whose words are in it
    is_suspect INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    written_at INTEGER NOT NULL,
    read_at INTEGER NOT NULL,
    text TEXT NOT NULL -- last, so that what is above is read without its pages
);

-- Texts that ended: of files that were edited, and of files that are gone.
CREATE TABLE file_version (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which they ended; a clock never decides it
    path TEXT NOT NULL,
    version INTEGER NOT NULL UNIQUE,
    bytes INTEGER NOT NULL,
    channel TEXT NOT NULL,
    source TEXT NOT NULL,
    trust INTEGER NOT NULL,
    is_suspect INTEGER NOT NULL,
    written_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    ended_by TEXT NOT NULL,
    text TEXT NOT NULL
);

CREATE INDEX file_version_by_path ON file_version (path);
CREATE INDEX file_version_bytes ON file_version (seq, bytes); -- how much there is, at each write

-- What a text was made from: forget follows it.
CREATE TABLE file_parent (
    version INTEGER NOT NULL,
    position INTEGER NOT NULL,
    parent_id TEXT NOT NULL,
    parent_seq INTEGER, -- of a message: its id is unique only inside its session
    PRIMARY KEY (version, position)
) WITHOUT ROWID;

CREATE INDEX file_parent_by_parent ON file_parent (parent_id);
CREATE INDEX file_parent_by_message ON file_parent (parent_seq) WHERE parent_seq IS NOT NULL;

CREATE TRIGGER file_version_gone AFTER DELETE ON file_version
WHEN NOT EXISTS (SELECT 1 FROM file WHERE version = OLD.version) BEGIN
    DELETE FROM file_parent WHERE version = OLD.version;
END;

CREATE TRIGGER file_gone AFTER DELETE ON file
WHEN NOT EXISTS (SELECT 1 FROM file_version WHERE version = OLD.version) BEGIN
    DELETE FROM file_parent WHERE version = OLD.version;
END;
