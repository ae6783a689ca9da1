/**
 * What the work of a stored step leaves in its run besides its value: messages that middleware adds, and requests beside the
 * conversation. Another process that repeats the step does not do the work, and gets both from what is stored.
 */
import type { StepRecord } from "../types/run-steps.js";
import type { AgentRun } from "./agent-run.js";

/** The part of a run in which the work of a step leaves something. */
export type StepRun = Pick<AgentRun, "steps" | "middleware" | "side" | "added" | "add" | "describeError">;

/** Takes a step in which messages may be added, and requests sent. */
export async function takeStep<TValue>(
  run: StepRun,
  name: string,
  work: (id: string) => TValue | Promise<TValue>,
): Promise<TValue> {
  const { steps } = run;
  // What a step inside of another one leaves is stored with that one.
  if (!steps.stores || steps.isInStep) return steps.step(name, async (id) => work(id));
  let isNew = false;
  const stored = await steps.step(name, async (id) => {
    isNew = true;
    const { value: tried, ...record } = await recordWork(run, () => attempt(run, () => work(id)));
    return { ...tried, ...record };
  });
  if (!isNew) await recallWork(run, stored);
  return resultOf(stored);
}

/** The value of work, or the text of its error. What it has left is stored in both cases. */
export interface Attempt<TValue> {
  value?: TValue | undefined;
  threw?: string | undefined;
}

export async function attempt<TValue>(
  run: Pick<StepRun, "describeError">,
  work: () => TValue | Promise<TValue>,
): Promise<Attempt<TValue>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { threw: run.describeError(error) };
  }
}

/** @throws Error if the work threw */
export function resultOf<TValue>({ value, threw }: Attempt<TValue>): TValue {
  if (threw !== undefined) throw new Error(threw);
  // JSON has no undefined.
  return value as TValue;
}

/** Does the work of a step that no earlier process has done, and returns what it has left beside its value. */
export async function recordWork<TValue>(
  run: StepRun,
  work: () => Promise<TValue>,
): Promise<{ value: TValue } & StepRecord> {
  const { added, side, middleware } = run;
  side.tellRemembered(middleware);
  const [addedBefore, besideBefore] = [added.length, side.count];
  const value = await work();
  const messages = added.slice(addedBefore);
  const beside = side.takeSince(besideBefore);
  return { value, ...(messages.length > 0 && { added: messages }), ...(beside.length > 0 && { beside }) };
}

/** Adds to the run what a step of an earlier process has left. */
export async function recallWork(run: StepRun, { added = [], beside = [] }: StepRecord): Promise<void> {
  run.side.recall(beside, run.middleware);
  for (const message of added) await run.add(message);
}
