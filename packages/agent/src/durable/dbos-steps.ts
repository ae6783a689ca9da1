/** Remembers the steps of a run in DBOS, that is, in PostgreSQL. */
import type { DurableSteps } from "./durable-steps.js";

/** The parts of the class `DBOS` of `@dbos-inc/dbos-sdk` that are used; pass the class. */
export interface DbosSdk {
  /** The id of the workflow that is running. */
  readonly workflowID: string | undefined;
  /** The id of the process. */
  readonly executorID: string;
  /** Remembers what `work` returns. */
  runStep<TValue>(work: () => Promise<TValue>, config: { name: string }): Promise<TValue>;
  /** Waits for a message to the workflow; null when the time is up. */
  recv<TValue>(topic: string, options: { timeoutSeconds: number }): Promise<TValue | null>;
}

/** One connection of `pg` (a `Client`, not a `Pool`): the lock lives as long as the connection. */
export interface LockClient {
  /** Sends a query. */
  query(text: string, values: unknown[]): Promise<{ rows: { locked?: unknown }[] }>;
}

/** A wait is repeated when it is over, so its length does not matter: 30 days. */
const WAIT = { timeoutSeconds: 2_592_000 };
/** The first key of the advisory locks, so that they meet no others: "pi" and "db" in ASCII. */
const LOCK_SPACE = 0x70696462;

/**
 * The steps of a workflow. Call it in the workflow. An approval is answered from any process by
 * `DBOS.send(runId, answer, name)` with the name of the request.
 *
 * Each process needs an `executorID` of its own: DBOS hands all runs of an id to the process that starts with it, also those
 * that another process has under way. Take the id with {@link lockExecutor} before `DBOS.launch()`.
 *
 * @example
 * const book = DBOS.registerWorkflow(
 *   (prompt: string) => new Agent(durable({ steps: dbosSteps(DBOS), tools })).prompt(prompt),
 *   { name: "book", maxRecoveryAttempts: 1_000_000 },
 * );
 *
 * @throws Error outside of a workflow, and for the executor id `local`, which is the default of every process
 */
export function dbosSteps(dbos: DbosSdk): DurableSteps {
  const { workflowID, executorID } = dbos;
  if (!workflowID) throw new Error("dbosSteps must be called in a DBOS workflow");
  if (executorID === "local") {
    throw new Error(
      'The executor id is "local", which a second process would have, too, and take over runs that are under way. ' +
        "Set executorID in DBOS.setConfig to an id that no other process has.",
    );
  }
  return {
    runId: workflowID,
    run: async (name, work) => {
      // As a text: DBOS's own serializer refuses keys such as `constructor`, which a model may choose.
      const json = await dbos.runStep(async () => JSON.stringify(await work()), { name });
      return JSON.parse(json);
    },
    waitFor: async <TValue>(name: string): Promise<TValue> => {
      for (;;) {
        const value = await dbos.recv<TValue>(name, WAIT);
        if (value !== null) return value;
      }
    },
  };
}

/**
 * Takes an executor id for this process, by an advisory lock of PostgreSQL that ends with the connection.
 *
 * @throws Error when another process has the id
 */
export async function lockExecutor(client: LockClient, executorId: string): Promise<void> {
  const sql = "SELECT pg_try_advisory_lock($1, hashtext($2)) AS locked";
  const { rows } = await client.query(sql, [LOCK_SPACE, executorId]);
  if (rows[0]?.locked !== true) throw new Error(`Another process has the executor id ${executorId}`);
}
