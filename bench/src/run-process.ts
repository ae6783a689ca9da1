/** Runs one measurement in a separate process, which prints one line. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Order, WorkerResult } from "./worker.ts";

const run = promisify(execFile);
const WORKER = fileURLToPath(new URL("./worker.js", import.meta.url));
/** The limit of one measurement. The table lists clients that need longer as failed. */
export const LIMIT_SECONDS = 30;

export async function runProcess(order: Order, limitSeconds: number = LIMIT_SECONDS): Promise<WorkerResult> {
  const argv = ["--no-warnings", "--expose-gc", WORKER, JSON.stringify(order)];
  const limits = { timeout: limitSeconds * 1000, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 } as const;
  try {
    const { stdout } = await run(process.execPath, argv, limits);
    return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? ""); // the worker's last line
  } catch (error) {
    const killed = typeof error === "object" && error !== null && "killed" in error && error.killed === true;
    return { reason: killed ? `took longer than ${limitSeconds} s` : firstLine(error) };
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  return /^.*(?:Error|FATAL).*$/m.exec(text)?.[0].trim() ?? "ended without a result";
}
