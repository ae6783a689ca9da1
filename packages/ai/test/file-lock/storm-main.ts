/**
 * Prints what a storm of killed processes does to the lock: `npm run task locks:storm -- --rounds 1000 --seed 1`. With `--lock`,
 * the path of another module with a `tryLockFile`.
 */
import { parseArgs } from "node:util";
import { runStorm } from "./storm.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    processes: { type: "string", default: "8" },
    lock: { type: "string" },
  },
});
const { lock } = values;
const { leftOver, ...figures } = await runStorm({
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  processes: Number(values.processes),
  ...(lock !== undefined && { lock }),
});
process.stdout.write(
  `${JSON.stringify({ ...figures, leftOver: leftOver.length, names: leftOver.slice(0, 5) }, null, 2)}\n`,
);
if (figures.doubleOwners + figures.deadlocks + leftOver.length > 0) process.exitCode = 1;
