/**
 * DBOS as the engine of durable agents.
 *
 * @module pi-agent/durable/dbos
 */

export { type DbosSdk, dbosSteps, type LockClient, lockExecutor } from "./dbos-steps.js";
