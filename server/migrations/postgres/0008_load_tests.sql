-- A file that was removed can be brought in again under a new number; the old number keeps what it said, since a proof in the
-- history may rest on it. That a file is there once is seen to while its incident is held.
ALTER TABLE load_tests DROP CONSTRAINT load_tests_incident_id_sha256_key;
CREATE INDEX load_tests_by_file ON load_tests (incident_id, sha256);
