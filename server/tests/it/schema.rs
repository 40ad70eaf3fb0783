//! The two databases' schemas say the same: columns with their types and whether they may be empty, keys, uniqueness,
//! references, and checks.

use std::collections::BTreeSet;

use debrief_server::store::Store;

use crate::postgres::fresh_database;

/// Lines of text that describe a schema in words of neither database.
type Described = BTreeSet<String>;

/// Each column as `table.column type null|required`. A type is what SQLite calls it.
const SQLITE_COLUMNS: &str = r#"SELECT m.name || '.' || c.name || ' ' || c.type || ' ' ||
        CASE WHEN c."notnull" = 1 THEN 'required' ELSE 'null' END ||
        CASE WHEN c.hidden > 0 THEN ' computed' ELSE '' END
    FROM sqlite_master m, pragma_table_xinfo(m.name) c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name <> '_sqlx_migrations'"#;

const POSTGRES_COLUMNS: &str = r"SELECT table_name || '.' || column_name || ' ' ||
        CASE data_type WHEN 'bigint' THEN 'INTEGER' WHEN 'text' THEN 'TEXT' WHEN 'double precision' THEN 'REAL'
            WHEN 'boolean' THEN 'INTEGER' WHEN 'bytea' THEN 'BLOB' ELSE data_type END || ' ' ||
        CASE is_nullable WHEN 'NO' THEN 'required' ELSE 'null' END ||
        CASE is_generated WHEN 'ALWAYS' THEN ' computed' ELSE '' END
    FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name <> '_sqlx_migrations'";

/// Each unique index and key as `table unique (columns) partial`; a lone whole-number key is SQLite's row id and has
/// no index there, so `SQLITE_ROW_IDS` adds those.
const SQLITE_INDEXES: &str = r#"SELECT m.name || CASE i."unique" WHEN 1 THEN ' unique (' ELSE ' index (' END ||
        (SELECT GROUP_CONCAT(name || CASE WHEN "desc" = 1 THEN ' desc' ELSE '' END, ', ') FROM
            (SELECT * FROM pragma_index_xinfo(i.name) WHERE key = 1 ORDER BY seqno)) || ')' ||
        CASE i.partial WHEN 1 THEN ' partial' ELSE '' END
    FROM sqlite_master m, pragma_index_list(m.name) i
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name <> '_sqlx_migrations'"#;

const SQLITE_ROW_IDS: &str = r"SELECT m.name || ' unique (' || c.name || ')'
    FROM sqlite_master m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.pk = 1 AND m.name NOT LIKE 'sqlite%' AND m.name <> '_sqlx_migrations'
        AND NOT EXISTS (SELECT 1 FROM pragma_index_list(m.name) i WHERE i.origin = 'pk')";

const POSTGRES_INDEXES: &str = r"SELECT t.relname || CASE WHEN i.indisunique THEN ' unique (' ELSE ' index (' END ||
        (SELECT STRING_AGG(a.attname || CASE WHEN i.indoption[k.at - 1] & 1 = 1 THEN ' desc' ELSE '' END, ', '
                ORDER BY k.at)
            FROM UNNEST(i.indkey) WITH ORDINALITY AS k(attnum, at)
            JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum) || ')' ||
        CASE WHEN i.indpred IS NOT NULL THEN ' partial' ELSE '' END
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
    WHERE n.nspname = 'public' AND t.relname <> '_sqlx_migrations'";

/// Each reference as `table (columns) -> table (columns) on delete`.
const SQLITE_REFERENCES: &str = r#"SELECT m.name || ' (' || GROUP_CONCAT(f."from", ', ') || ') -> ' || f."table" ||
        ' (' || GROUP_CONCAT(f."to", ', ') || ') ' || f.on_delete
    FROM sqlite_master m, pragma_foreign_key_list(m.name) f
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' GROUP BY m.name, f.id"#;

const POSTGRES_REFERENCES: &str = r"SELECT t.relname || ' (' ||
        (SELECT STRING_AGG(a.attname, ', ' ORDER BY k.at) FROM UNNEST(c.conkey) WITH ORDINALITY AS k(attnum, at)
            JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum) || ') -> ' || f.relname || ' (' ||
        (SELECT STRING_AGG(a.attname, ', ' ORDER BY k.at) FROM UNNEST(c.confkey) WITH ORDINALITY AS k(attnum, at)
            JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.attnum) || ') ' ||
        CASE c.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'r' THEN 'RESTRICT'
            WHEN 'd' THEN 'SET DEFAULT' ELSE 'NO ACTION' END
    FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class f ON f.oid = c.confrelid
    WHERE c.contype = 'f'";

async fn all(pool: &sqlx::SqlitePool, sql: &'static str) -> Described {
    let rows: Vec<(String,)> = sqlx::query_as(sql).fetch_all(pool).await.unwrap_or_else(|e| panic!("{e}: {sql}"));
    rows.into_iter().map(|(line,)| line).collect()
}

async fn all_pg(pool: &sqlx::PgPool, sql: &'static str) -> Described {
    let rows: Vec<(String,)> = sqlx::query_as(sql).fetch_all(pool).await.unwrap_or_else(|e| panic!("{e}: {sql}"));
    rows.into_iter().map(|(line,)| line).collect()
}

/// Every CHECK in what migrations say, with the table that it stands in, as written. Each database rewrites checks in its
/// own way, so it is their source that is compared.
fn checks(migrations: &str) -> Described {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(migrations);
    let mut found = Described::new();
    for file in std::fs::read_dir(folder).expect("migrations") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("readable");
        let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default());
        for statement in lines.collect::<Vec<_>>().join(" ").split(';') {
            let words: Vec<&str> = statement.split_whitespace().collect();
            let Some(table) = words.iter().position(|word| *word == "TABLE").and_then(|at| words.get(at + 1)) else {
                continue;
            };
            // SQLite cannot change a CHECK in place: a wider table takes the place of the old one.
            let table = table.trim_end_matches('(').trim_end_matches("_wider");
            let statement = words.join(" ");
            for rest in statement.split("CHECK (").skip(1) {
                found.insert(format!("{table} {}", in_parentheses(rest)));
            }
        }
    }
    found
}

/// What stands before the parenthesis that closes one already open.
fn in_parentheses(text: &str) -> String {
    let mut open = 1;
    let inside = text.chars().take_while(|c| {
        open += i32::from(*c == '(') - i32::from(*c == ')');
        open > 0
    });
    inside.collect::<String>().replace("( ", "(")
}

fn assert_same(what: &str, sqlite: &Described, postgres: &Described) {
    let only = |one: &Described, other: &Described| one.difference(other).cloned().collect::<Vec<_>>().join("\n  ");
    assert_eq!(
        sqlite,
        postgres,
        "{what}\nonly in SQLite:\n  {}\nonly in PostgreSQL:\n  {}",
        only(sqlite, postgres),
        only(postgres, sqlite)
    );
    assert!(!sqlite.is_empty(), "no {what} were found");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_databases_have_the_same_columns_keys_and_references() {
    let folder = tempfile::tempdir().expect("a folder");
    let lite_url = format!("sqlite:{}", folder.path().join("debrief.db").display());
    let pg_url = fresh_database().await;
    for url in [&lite_url, &pg_url] {
        Store::open(url).await.expect("the store opens").close().await;
    }
    let lite = sqlx::SqlitePool::connect(&lite_url).await.expect("opens");
    let pg = sqlx::PgPool::connect(&pg_url).await.expect("opens");
    assert_same("columns", &all(&lite, SQLITE_COLUMNS).await, &all_pg(&pg, POSTGRES_COLUMNS).await);
    let mut indexes = all(&lite, SQLITE_INDEXES).await;
    indexes.extend(all(&lite, SQLITE_ROW_IDS).await);
    assert_same("indexes and keys", &indexes, &all_pg(&pg, POSTGRES_INDEXES).await);
    assert_same("references", &all(&lite, SQLITE_REFERENCES).await, &all_pg(&pg, POSTGRES_REFERENCES).await);
    lite.close().await;
    pg.close().await;
}

#[test]
fn both_databases_check_the_same() {
    assert_same("checks", &checks("sqlite"), &checks("postgres"));
}
