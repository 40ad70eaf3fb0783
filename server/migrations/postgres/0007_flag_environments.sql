-- A flag is switched in an environment; two environments may switch it at the same instant. Empty where none is known.
ALTER TABLE flag_changes ADD COLUMN environment TEXT NOT NULL DEFAULT '';
ALTER TABLE flag_changes ALTER COLUMN environment DROP DEFAULT;
ALTER TABLE flag_changes DROP CONSTRAINT flag_changes_incident_id_flag_changed_at_state_key;
ALTER TABLE flag_changes ADD UNIQUE (incident_id, flag, environment, changed_at, state);
