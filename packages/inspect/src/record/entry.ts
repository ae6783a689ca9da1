/**
 * The data that the page shows, as plain JSON. A run is a list of entries, and the details of an entry are a list of
 * sections.
 */

/** How a run or an entry ended, or `running` if it has not. */
export type Outcome = "running" | "done" | "error" | "aborted";

/** Token counts and the cost in US dollars. */
export interface EntryUsage {
  /** Prompt tokens outside the cache. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cost: number;
}

/** One row in the timeline of a run. */
export interface Entry {
  kind: "message" | "request" | "tool" | "note" | "wait";
  /** One line of at most 200 characters. */
  title: string;
  outcome: Outcome;
  /** The number of the request that the entry belongs to, from 1; 0 before the first request. */
  turn: number;
  /** Unix time in milliseconds. */
  startedAt?: number;
  /** Milliseconds from the start to the first part of the response. */
  firstMs?: number;
  /** Milliseconds; absent while it is running or if the source does not contain it. */
  durationMs?: number;
  usage?: EntryUsage;
  /** How many times the request was sent, if that is known. */
  attempts?: number;
  /** Bytes of the response that have arrived, if that is known. */
  received?: number;
  /** The model, the tool, or the role of a message. */
  name: string;
  /** The entry was taken over from the run that this one was forked from. The totals do not count it. */
  inherited?: true;
  /** Present while the tool call waits for a result from the page. */
  awaits?: AwaitedResult | undefined;
  /** Where the result of a tool in a forked run came from. */
  resultFrom?: "recording" | "page" | "tool";
}

/** A tool call of a forked run that waits for its result. */
export interface AwaitedResult {
  /** The id of the tool call. */
  call: string;
  /** Whether the program can run the tool. */
  canRun: boolean;
  /** The result of the same call in the original run, as text. */
  recorded?: string;
}

/** The run that another one was forked from. */
export interface ForkOrigin {
  /** Its id. */
  run: string;
  /** The index of the entry at which the fork was made. */
  entry: number;
  /** The number of the first request that is the fork's own. */
  turn: number;
}

/** A run in the list of runs, with the totals of its entries. */
export interface RunSummary {
  id: string;
  title: string;
  /** The name of the file or session, or `live` or `fork`. */
  source: string;
  model: string;
  outcome: Outcome;
  startedAt?: number;
  durationMs?: number;
  requests: number;
  tools: number;
  usage: EntryUsage;
  /** The number of entries. */
  entries: number;
  /** How many of the first entries were dropped, and cannot be read again. */
  dropped?: number;
  /** Present in a forked run. */
  parent?: ForkOrigin;
  /** How many tool calls wait for a result from the page. */
  waiting: number;
  /** Whether the run can be forked. */
  canFork: boolean;
}

/** The facts about a run when it begins. */
export interface RunFacts extends Pick<RunSummary, "id" | "title" | "source" | "model"> {
  startedAt?: number | undefined;
  parent?: ForkOrigin;
}

/** A part of the details of an entry. */
export type Section =
  | { kind: "text"; title: string; text: string }
  | { kind: "table"; title: string; rows: [name: string, value: string][] }
  | { kind: "difference"; title: string; summary: string; before: string; after: string };

export function noUsage(): EntryUsage {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
}

/**
 * Whether a section contains a text, ignoring case.
 *
 * @param text in lower case
 */
export function holdsText(section: Section, text: string): boolean {
  if (section.kind === "table") return section.rows.flat().join("\n").toLowerCase().includes(text);
  return (section.kind === "text" ? section.text : section.after).toLowerCase().includes(text);
}

/** Adds counts to a sum, or subtracts them if the sign is -1. */
export function addUsage(sum: EntryUsage, usage: EntryUsage, sign: 1 | -1): void {
  sum.input += sign * usage.input;
  sum.output += sign * usage.output;
  sum.cacheRead += sign * usage.cacheRead;
  sum.cacheWrite += sign * usage.cacheWrite;
  sum.cost += sign * usage.cost;
}

/** Creates the details of an entry when they are opened. */
export type Details = () => Section[];

/** Creates a part of the details of an entry when they are opened. */
export type Described = { describe: Details };

/** The files of a test that repeats a run. */
export interface CopiedTest {
  /** The contents of the files by their names. */
  files: Record<string, string>;
}
