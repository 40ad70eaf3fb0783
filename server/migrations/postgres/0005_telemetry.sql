-- Mappings of the columns of logs, saved under a name, and the columns of the files that they are proposed for.
CREATE TABLE mappings (
    name TEXT NOT NULL PRIMARY KEY,
    columns TEXT NOT NULL,
    mapping TEXT NOT NULL,
    saved_at BIGINT NOT NULL,
    saved_by TEXT NOT NULL
);
