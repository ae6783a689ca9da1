/** The tables of sessions migrate from every version. */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, it } from "vitest";
import { noPostgres, startPostgres } from "../../../../test/support/database-servers.js";
import { migratePostgres, type RunSql, toRunSql } from "../../src/stores/postgres-client.js";
import { migrateSqlite } from "../../src/stores/session/sqlite.js";

it.skipIf(noPostgres !== undefined)(`in PostgreSQL${noPostgres ? ` (skipped: ${noPostgres})` : ""}`, async () => {
  const server = await startPostgres();
  const pool = new pg.Pool({ host: server.folder, user: "test", database: "postgres", max: 8 });
  try {
    const run: RunSql = toRunSql(pool);
    const steps = [
      "CREATE TABLE steps_one (a text)",
      "ALTER TABLE steps_one ADD b text; CREATE INDEX ON steps_one (b)",
    ];
    const migrate = (count: number) =>
      migratePostgres(run, { component: "x", prefix: "steps_", steps: steps.slice(0, count) });
    expect(await migrate(1)).toBe(1);
    expect(await migrate(2)).toBe(2);
    expect(await migrate(2)).toBe(2);
    expect(await migrate(1)).toBe(2);
    await pool.query("INSERT INTO steps_one (a, b) VALUES ('1', '2')");
  } finally {
    await pool.end();
    await server.stop();
  }
});

it("in SQLite, and tables of a later version are refused", () => {
  const database = new DatabaseSync(":memory:");
  const steps = ["CREATE TABLE one (a TEXT)", "ALTER TABLE one ADD b TEXT; CREATE INDEX by_b ON one (b)"];
  migrateSqlite(database, steps.slice(0, 1));
  migrateSqlite(database, steps);
  migrateSqlite(database, steps);
  database.exec("INSERT INTO one (a, b) VALUES ('1', '2')");
  expect(() => migrateSqlite(database, steps.slice(0, 1))).toThrow(
    "The tables of sessions have version 2, which a later pi-agent wrote. This one knows version 1",
  );
  database.close();
});
