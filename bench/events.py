"""DuckDB doing what `attempts compute` does: prints the same line of JSON. Arguments: file, threads."""
import json
import sys
import time

import duckdb

FROM = 1783598400000  # 2026-07-09 12:00 UTC, in milliseconds
UNTIL = FROM + 31 * 60_000

started = time.perf_counter()
file, threads = sys.argv[1], int(sys.argv[2])
db = duckdb.connect()
db.execute(f"SET threads = {threads}")
# Repeats are word for word the same, so any of the rows of an attempt is the first.
db.execute(
    """
    CREATE TEMP TABLE attempts AS
    SELECT any_value(epoch_ms(ts)) AS ms, any_value(customer_id) AS customer, any_value(outcome = 'failed') AS failed
    FROM read_csv($1, header = true, columns = {
        'ts': 'TIMESTAMP', 'attempt_id': 'VARCHAR', 'customer_id': 'VARCHAR', 'outcome': 'VARCHAR',
        'latency_ms': 'FLOAT', 'region': 'VARCHAR'})
    GROUP BY attempt_id
    """,
    [file],
)
read = time.perf_counter() - started
minutes = db.execute(
    "SELECT ms // 60000, count(*), count_if(failed) FROM attempts GROUP BY 1 ORDER BY 1"
).fetchall()
customers = db.execute("SELECT count(DISTINCT customer) FROM attempts").fetchone()[0]
funnel = db.execute(
    """
    WITH inside AS (
        SELECT customer, max(ms * 2 + CASE WHEN failed THEN 0 ELSE 1 END) AS last FROM attempts
        WHERE ms >= $1 AND ms < $2 GROUP BY customer HAVING bool_or(failed)
    ), bought AS (
        SELECT DISTINCT customer FROM attempts JOIN inside USING (customer)
        WHERE NOT failed AND last % 2 = 0 AND ms > last // 2 AND ms <= last // 2 + 86400000
    )
    SELECT count(*), count_if(last % 2 = 1), (SELECT count(*) FROM bought) FROM inside
    """,
    [FROM, UNTIL],
).fetchone()
affected, recovered, bought = funnel
print(
    json.dumps(
        {
            "minutes": [list(row) for row in minutes],
            "customers": customers,
            "cohort": {
                "affected_customers": affected,
                "recovered_inside_window": recovered,
                "bought_within_24h": bought,
                "cohort": affected - recovered - bought,
            },
            "seconds": {"read": read, "all": time.perf_counter() - started},
        }
    )
)
