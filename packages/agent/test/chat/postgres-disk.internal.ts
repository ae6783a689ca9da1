/** Sessions in PostgreSQL for the model test. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { type PgClient, postgresSessions } from "pi-agent/session/postgres";
import type { Random } from "../../../../test/support/random.js";
import { type BootedStore, type Disk, never } from "./disks.internal.js";

/**
 * Tables of their own. A connection may be lost before a statement or after it. A statement may be executed late: after its
 * connection was lost, and after the death of its process.
 */
export class PostgresDisk implements Disk {
  readonly isFlaky: boolean;
  readonly canTakeOver = true;
  readonly canDieAlone = true;
  readonly #random: Random;
  readonly #prefix = `chat_${randomUUID().slice(0, 8)}_`;
  readonly #pool: pg.Pool;
  /** A statement whose connection was lost. The next one overtakes it. */
  #late: (() => Promise<unknown>) | undefined;

  constructor(pool: pg.Pool, random: Random) {
    this.#pool = pool;
    this.#random = random;
    this.isFlaky = random.chance(0.3);
  }

  boot(interrupt: () => void): BootedStore {
    const process = { isDead: false };
    const lose = (late?: () => Promise<unknown>): void => {
      if (!(this.isFlaky && this.#random.chance(0.05))) return;
      if (late && this.#random.chance(0.5)) this.#late = late;
      throw new Error("Connection terminated unexpectedly");
    };
    const client: PgClient = {
      query: async (text, values) => {
        const isWrite = text.startsWith("WITH before");
        if (isWrite && !process.isDead) interrupt();
        if (process.isDead) return never();
        if (isWrite) lose(() => this.#pool.query(text, values));
        const found = await this.#pool.query(text, values);
        const late = this.#late;
        this.#late = undefined;
        await late?.();
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
