/** Sessions in PostgreSQL for the model test. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { type PgClient, postgresSessions } from "pi-agent/session/postgres";
import type { Random } from "../../../../test/support/random.js";
import { type BootedStore, type Disk, never } from "./disks.internal.js";

/**
 * Tables of their own. A connection may be lost before a statement or after it, and what a process has sent may be executed after
 * its death.
 */
export class PostgresDisk implements Disk {
  readonly isFlaky: boolean;
  readonly canTakeOver = true;
  readonly canDieAlone = true;
  readonly #random: Random;
  readonly #prefix = `chat_${randomUUID().slice(0, 8)}_`;
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool, random: Random) {
    this.#pool = pool;
    this.#random = random;
    this.isFlaky = random.chance(0.3);
  }

  boot(interrupt: () => void): BootedStore {
    const process = { isDead: false };
    const lose = (): void => {
      if (this.isFlaky && this.#random.chance(0.05)) throw new Error("Connection terminated unexpectedly");
    };
    const client: PgClient = {
      query: async (text, values) => {
        const isWrite = text.startsWith("WITH before");
        if (isWrite && !process.isDead) interrupt();
        if (process.isDead) return never();
        if (isWrite) lose();
        const found = await this.#pool.query(text, values);
        if (isWrite && !process.isDead) interrupt();
        if (process.isDead) return never();
        if (isWrite) lose();
        return found;
      },
    };
    const kill = (): void => {
      process.isDead = true;
    };
    return { store: postgresSessions(client, { tablePrefix: this.#prefix }), kill };
  }

  close(): void {}
}
