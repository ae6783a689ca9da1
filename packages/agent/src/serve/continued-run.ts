/**
 * Continues what an earlier process has published of a run, for a process that repeats the run. A page has the steps that are
 * finished, and they are not stored again. A step that is not finished starts over, because its response may be another one.
 */
import { isStoreError } from "pi-ai/call";
import type { EventStore } from "pi-ai/proxy-server";
import type { ListenableAgent } from "./run-source.js";

/** Returns the items to store for an item of the repeated run. */
export type TakeItem<TItem> = (item: TItem) => readonly TItem[];

/** How to read and write the items of one format of pages. */
export interface StepFormat<TItem> {
  /** The item that says where this process continues. A page that ignores it misses nothing. */
  readonly resumed: TItem;
  /** Returns a function that sees all items in their order, and says where steps begin and end. */
  steps(): (item: TItem) => "begin" | "end" | undefined;
  /** Whether the item begins what is published. */
  isStart(item: TItem): boolean;
  /** Whether the item ends what is published. */
  isEnd(item: TItem): boolean;
  /** Makes the items of a step void, which begins again. */
  startOver(step: readonly TItem[]): readonly TItem[];
  /** Closes a step of a run that ends before it is reached again. */
  cutOff(step: readonly TItem[]): readonly TItem[];
  /** Changes an item of a step that starts over, so that no page confuses it with one that is void. */
  rename(item: TItem, offset: number): TItem;
}

/** The run in the store, and the agent that continues it. */
export interface ContinuedRun<TItem> {
  store: EventStore<TItem>;
  runId: string;
  agent: Pick<ListenableAgent, "steps">;
}

export async function continueRun<TItem>(
  { store, runId, agent }: ContinuedRun<TItem>,
  format: StepFormat<TItem>,
): Promise<TakeItem<TItem>> {
  let offset: number;
  try {
    offset = await store.append(runId, format.resumed);
  } catch (error) {
    // A durable run is repeated whole after its end. Any other run needs an id of its own.
    if (agent.steps?.stores && isStoreError(error)) return () => [];
    throw error;
  }
  const stored = await readBefore(store, runId, offset);
  const { finished, step, known } = findPosition(stored, format);
  const stepOf = format.steps();
  let missing = finished;

  const pass: Take<TItem> = (item) => [item];
  const repeat: Take<TItem> = (item, mark) => {
    if (mark === "end") take = pass;
    return [format.rename(item, offset)];
  };
  /** Leaves out what a page has, up to the last step. */
  const leaveOut: Take<TItem> = (item, mark) => {
    if (format.isEnd(item)) {
      take = pass;
      return [...(step ? format.cutOff(step) : []), item];
    }
    if (mark === "end" && --missing === 0 && !step) take = leaveOutKnown;
    if (mark !== "begin" || missing > 0 || !step) return [];
    take = repeat;
    return format.startOver(step);
  };
  /** Leaves out what a page has after the last step. */
  const leaveOutKnown: Take<TItem> = (item, mark) => {
    if (mark === "begin") take = pass;
    return format.isStart(item) || known.has(JSON.stringify(item)) ? [] : [item];
  };
  let take = missing > 0 || step ? leaveOut : leaveOutKnown;
  return (item) => take(item, stepOf(item));
}

type Take<TItem> = (item: TItem, mark: "begin" | "end" | undefined) => readonly TItem[];

async function readBefore<TItem>(store: EventStore<TItem>, runId: string, end: number): Promise<TItem[]> {
  const items: TItem[] = [];
  for await (const [offset, item] of store.read(runId, 0)) {
    if (offset >= end) break;
    items.push(item);
  }
  return items;
}

interface Position<TItem> {
  /** The number of finished steps. */
  finished: number;
  /** The items of the step that is not finished, with its beginning. */
  step: readonly TItem[] | undefined;
  /** The items after the last step, as JSON. */
  known: ReadonlySet<string>;
}

function findPosition<TItem>(stored: readonly TItem[], format: StepFormat<TItem>): Position<TItem> {
  const stepOf = format.steps();
  let finished = 0;
  let isOpen = false;
  let items: TItem[] = [];
  for (const item of stored) {
    const mark = stepOf(item);
    if (mark === "end") finished++;
    if (mark) {
      isOpen = mark === "begin";
      items = [];
    }
    if (mark !== "end") items.push(item);
  }
  return {
    finished,
    step: isOpen ? items : undefined,
    known: new Set(isOpen ? [] : items.map((item) => JSON.stringify(item))),
  };
}
