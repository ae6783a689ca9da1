/**
 * Random conversations with sessions in PostgreSQL, whose writes take a while and may be executed without an answer. `PI_CHAT_SEED` is
 * another first seed, and `PI_CHATS` a factor.
 */
import pg from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import { type DatabaseServer, noPostgres, startPostgres } from "../../../../test/support/database-servers.js";
import type { Disks } from "./disks.internal.js";
import { playChats } from "./play-chats.internal.js";
import { PostgresDisk } from "./postgres-disk.internal.js";

// biome-ignore lint/style/noProcessEnv: the command that starts the runner chooses what is played.
const { PI_CHAT_SEED = "200001", PI_CHATS = "1" } = process.env;

describe.skipIf(noPostgres)("PostgreSQL", () => {
  let server: DatabaseServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ host: server.folder, user: "test", database: "postgres", max: 4 });
  }, 60_000);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  const disks: Disks = { PostgreSQL: (random) => new PostgresDisk(pool, random) };
  playChats({ PostgreSQL: Math.ceil(100 * Number(PI_CHATS)) }, Number(PI_CHAT_SEED), disks);
});
