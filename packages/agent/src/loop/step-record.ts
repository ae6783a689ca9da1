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
  const store: Store<string, Attempt<TValue>> = (record) => steps.step(name, record);
  const { stored } = await storeWork(run, store, (id) => attempt(run, () => work(id)));
  return resultOf(stored);
}

/** Stores the value of work with what it has left, or returns what another process has stored. */
type Store<TArgument, TValue> = (
  work: (argument: TArgument) => Promise<TValue & StepRecord>,
) => Promise<TValue & StepRecord>;

/** Does the work of a step, unless another process has: then what it has left is added to the run. */
export async function storeWork<TArgument, TValue extends object>(
  run: StepRun,
  store: Store<TArgument, TValue>,
  work: (argument: TArgument) => Promise<TValue>,
): Promise<{ stored: TValue & StepRecord; isNew: boolean }> {
  let isNew = false;
  const stored = await store(async (argument) => {
    isNew = true;
    return recordWork(run, () => work(argument));
  });
  if (!isNew) await recallWork(run, stored);
  return { stored, isNew };
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

async function recordWork<TValue extends object>(
  { added, side, middleware }: StepRun,
  work: () => Promise<TValue>,
): Promise<TValue & StepRecord> {
  side.tellRemembered(middleware);
  const [addedBefore, besideBefore] = [added.length, side.count];
  const value = await work();
  const messages = added.slice(addedBefore);
  const beside = side.takeSince(besideBefore);
  return { ...value, ...(messages.length > 0 && { added: messages }), ...(beside.length > 0 && { beside }) };
}

async function recallWork(run: StepRun, { added = [], beside = [] }: StepRecord): Promise<void> {
  run.side.recall(beside, run.middleware);
  for (const message of added) await run.add(message);
}
