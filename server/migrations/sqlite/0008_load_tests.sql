-- A file that was removed can be brought in again under a new number; the old number keeps what it said, since a proof in the
-- history may rest on it. That a file is there once is seen to while its incident is held.
CREATE TABLE load_tests_wider (
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    sha256 TEXT NOT NULL CHECK (LENGTH(sha256) = 64),
    file_name TEXT NOT NULL,
    imported_at INTEGER NOT NULL,
    report TEXT NOT NULL,
    PRIMARY KEY (incident_id, number),
    FOREIGN KEY (incident_id, number) REFERENCES evidence (incident_id, number) ON DELETE CASCADE
) STRICT;
INSERT INTO load_tests_wider
    SELECT incident_id, number, sha256, file_name, imported_at, report FROM load_tests;
DROP TABLE load_tests;
ALTER TABLE load_tests_wider RENAME TO load_tests;
CREATE INDEX load_tests_by_file ON load_tests (incident_id, sha256);
