/**
 * DBOS as the engine of durable agents.
 *
 * @module pi-agent/durable/dbos
 */
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

/** 30 days. The wait is repeated after each timeout, so the exact length does not matter. */
const WAIT = { timeoutSeconds: 2_592_000 };
/** The first key of the advisory locks, "pidb" in ASCII. Keeps them apart from the locks of the application. */
const LOCK_SPACE = 0x70696462;

/**
 * Returns the steps of the current workflow. Call it in the workflow. Any process can answer an approval with
 * `DBOS.send(runId, answer, name)`, where `name` is that of the request.
 *
 * Each process needs an `executorID` of its own. A process that starts with an id recovers all runs of that id, even if
 * another process is still executing them. Lock the id with {@link lockExecutor} before `DBOS.launch()`.
 *
 * @example
 * const book = DBOS.registerWorkflow(
 *   (prompt: string) => new Agent({ steps: durable(dbosSteps(DBOS)) }).prompt(prompt),
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
      'The executor id is "local", the default of every process. A second process would take over the runs of this one. ' +
        "Set executorID in DBOS.setConfig to an id that no other process has.",
    );
  }
  return {
    runId: workflowID,
    run: async (name, work) => {
      // DBOS's own serializer refuses keys such as `constructor`, which a model may choose.
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
 * Locks an executor id for this process. The lock is an advisory lock of PostgreSQL, which ends with the connection.
 *
 * @throws Error when another process has the id
 */
export async function lockExecutor(client: LockClient, executorId: string): Promise<void> {
  const sql = "SELECT pg_try_advisory_lock($1, hashtext($2)) AS locked";
  const { rows } = await client.query(sql, [LOCK_SPACE, executorId]);
  if (rows[0]?.locked !== true) throw new Error(`Another process has the executor id ${executorId}`);
}
