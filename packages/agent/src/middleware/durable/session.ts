/**
 * Remembers the steps of a run in a file, for durable agents on one machine. For Node.
 *
 * @module pi-agent/durable/session
 */
import { type FSWatcher, watch } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { anySignal } from "pi-ai/call";
import { type Checks, checkOptions, mustBeFlag, mustBePath, mustBeText, throwWrong } from "../../checks.js";
import { findRealPath, LineFile, lockFile, openLineFile, readLineFile } from "../../stores/session/line-file.js";
import { LineQueue } from "../../stores/session/open-session.js";
import { SessionLogError } from "../../stores/session/session-lines.js";
import type { ApprovalAnswer } from "../../types/event.js";
import type { DurableSteps } from "./durable-steps.js";
import { parseAnswers, parseStepLines, type StepLine } from "./step-lines.js";

/** Options of {@link sessionSteps}. */
export interface SessionStepsOptions {
  /** Identifies the run. Default: a random id, which the file stores. */
  runId?: string | undefined;
  /** Wait after each step until it is on the disk, so that it survives a crash of the machine too. Default false. */
  fsync?: boolean | undefined;
}

const OPTIONS: Checks<keyof SessionStepsOptions> = { runId: mustBeText, fsync: mustBeFlag };

/** The steps of one run, in a file. */
export interface SessionSteps extends DurableSteps {
  readonly runId: string;
  /**
   * Closes the file and releases its lock. A run that waits for an answer ends here, with a rejection: another process can
   * continue it, or this one with new steps.
   */
  close(): Promise<void>;
}

/**
 * Opens the file with the steps of a run, to which JSON lines are appended. If a process dies, at most the last line is
 * incomplete, and its step counts as not done. `<file>.lock` locks out other processes, and only its owner can read a new
 * file. For one machine; the application restarts the run.
 *
 * @example
 * const engine = await sessionSteps("runs/order-17.jsonl");
 * await new Agent({ steps: durable(engine), initialState: { tools } }).prompt("Book a hotel.");
 * await engine.close();
 *
 * @throws SessionLogError when the file is not such a file or damaged, another process has it open, or it holds another run
 */
export async function sessionSteps(file: string | URL, options: SessionStepsOptions = {}): Promise<SessionSteps> {
  mustBePath("The file of sessionSteps", file);
  checkOptions(options, OPTIONS);
  const handle = await openLineFile(file, "append");
  let unlock: (() => Promise<void>) | undefined;
  try {
    const path = await findRealPath(file);
    const { release } = await lockFile(path);
    unlock = release;
    const steps = await openSteps(handle, path, options);
    return {
      runId: steps.runId,
      run: (name, work) => steps.run(name, work),
      waitFor: (name, signal) => steps.waitFor(name, signal),
      close: () => steps.close().finally(() => handle.close().finally(release)),
    };
  } catch (error) {
    await handle.close();
    await unlock?.();
    throw error;
  }
}

/**
 * Answers an approval of a run in a file, from any process of the machine. `name` is that of the request.
 *
 * @throws the error of the file system if there is no such file; SessionLogError if it, or that of the answers, is no regular
 * file
 */
export async function answerApproval(file: string | URL, name: string, answer: ApprovalAnswer): Promise<void> {
  mustBePath("The file of answerApproval", file);
  mustBeText("The name of the request", name);
  // It would count as a refusal.
  if (typeof Object(answer).approved !== "boolean")
    throwWrong("The answer", "{ approved: true } or { approved: false, reason }", answer);
  // The line break in front ends a line that another process could not finish, because it died or the disk was full.
  const line = `\n${JSON.stringify({ name, value: answer })}\n`;
  // The answer to a run that does not exist would never be read.
  await (await openLineFile(file, "read")).close();
  const handle = await openLineFile(answersOf(await findRealPath(file)), "append");
  await handle.appendFile(line).finally(() => handle.close());
}

async function openSteps(
  handle: FileHandle,
  path: string,
  { runId, fsync = false }: SessionStepsOptions,
): Promise<FileSteps> {
  const log = parseStepLines(await handle.readFile());
  if (log.runId === undefined && log.wholeBytes > 0)
    throw new SessionLogError("The file has no header of a run's steps");
  if (runId !== undefined && log.runId !== undefined && runId !== log.runId) {
    throw new SessionLogError(`The file holds the steps of the run ${log.runId}, not those of ${runId}`);
  }
  if (log.tornBytes > 0) await handle.truncate(log.wholeBytes);
  const lineFile = new LineFile(handle, { size: log.wholeBytes, isOpen: false, fsync });
  const file = new LineQueue((lines, progress) => lineFile.write(lines, progress));
  const id = log.runId ?? runId ?? crypto.randomUUID();
  if (log.runId === undefined) await file.append([JSON.stringify({ type: "steps", version: 1, runId: id })]);
  return new FileSteps(id, file, { path, lines: log.lines });
}

class FileSteps {
  readonly runId: string;
  readonly #file: LineQueue;
  readonly #answers: string;
  readonly #values: Map<string, unknown>;
  readonly #closed = new AbortController();

  constructor(runId: string, file: LineQueue, { path, lines }: { path: string; lines: readonly StepLine[] }) {
    this.runId = runId;
    this.#file = file;
    this.#answers = answersOf(path);
    this.#values = new Map(lines.map(({ name, value }) => [name, value]));
  }

  async run<TValue>(name: string, work: () => Promise<TValue>): Promise<TValue> {
    // The journal of the run checks the value.
    if (this.#values.has(name)) return this.#values.get(name) as TValue;
    const value = await work();
    await this.#remember(name, value);
    return value;
  }

  async waitFor<TValue>(name: string, signal: AbortSignal | undefined): Promise<TValue> {
    // The code that waits checks the value.
    if (this.#values.has(name)) return this.#values.get(name) as TValue;
    const { signal: closed } = this.#closed;
    const value = await waitForLine(this.#answers, name, signal ? anySignal([signal, closed]) : closed);
    await this.#remember(name, value);
    return value as TValue;
  }

  close(): Promise<void> {
    this.#closed.abort(new SessionLogError("The steps were closed while the run waited for an answer"));
    return this.#file.flush();
  }

  #remember(name: string, value: unknown): Promise<void> {
    this.#values.set(name, value);
    return this.#file.append([JSON.stringify({ name, value })]);
  }
}

/** Answers have a file of their own: the log has one writer. */
function answersOf(path: string): string {
  return `${path}.answers`;
}

/** Waits until another process has appended an answer with this name. The first one counts. */
async function waitForLine(path: string, name: string, signal: AbortSignal | undefined): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const look = async (): Promise<void> => {
    const bytes = await readLineFile(path).catch(() => Buffer.alloc(0));
    const found = parseAnswers(bytes).find((line) => line.name === name);
    if (found) resolve(found.value);
  };
  const onAbort = (): void => reject(signal?.reason);
  // The watch starts before the first read, so that no answer is missed. The folder exists; the file may not.
  const watcher: FSWatcher = watch(dirname(path), (_event, changed) => {
    if (changed === null || changed === basename(path)) look().catch(reject);
  });
  watcher.on("error", reject);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal?.aborted) onAbort();
    look().catch(reject);
    return await promise;
  } finally {
    watcher.close();
    signal?.removeEventListener("abort", onAbort);
  }
}
