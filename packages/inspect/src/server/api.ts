/** Answers the page: runs, entries, searches and comparisons; its commands for forks, results and aborts; the feed of changes. */
import type { IncomingMessage } from "node:http";
import { draftFork, type ForkDraft, InvalidCommand, redactDraft } from "../fork/fork-draft.js";
import type { Forks, Resolution } from "../fork/forks.js";
import { redactCredentials } from "../record/credentials.js";
import type { CopiedTest, Entry, RunSummary, Section } from "../record/entry.js";
import { type Fields, fieldsOf, textOf } from "../record/fields.js";
import { recallEntries, recallPart, recallWhole } from "../record/recall.js";
import type { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import { type Comparison, compareRuns } from "./compare-runs.js";

/** The most entries in one response. */
const PAGE_SIZE = 1000;
const MAX_HITS = 1000;
/** The most characters of one section: a browser is slow with many megabytes of text. */
const MAX_SECTION = 200_000;

/** Consecutive entries of a run. */
export interface EntriesPage {
  run: RunSummary;
  /** The index of the first of `entries`. */
  from: number;
  entries: readonly Entry[];
}

export interface EntryDetails {
  entry: Entry;
  sections: Section[];
}

/** The result of a search in a run. */
export interface SearchHits {
  /** The indexes of the entries that contain the text. */
  hits: number[];
  /** Whether the search stopped at its limit before the end of the run. */
  more: boolean;
}

/**
 * The value at a path.
 *
 * @param path its segments after `api/`
 * @returns undefined if there is nothing at the path; rejects if the source of a run cannot be read
 */
export async function respond(store: RunStore, path: readonly string[], query: URLSearchParams): Promise<unknown> {
  const [what, id = "", part, index = ""] = path;
  if (what === "sessions") return store.sessions?.counts() ?? { shown: 0, total: 0 };
  if (what === "compare") return compare(await find(store, id), await find(store, part ?? ""));
  if (what !== "runs") return undefined;
  if (id === "") return store.runs.map(({ summary }) => summary);
  const run = await find(store, id);
  if (!run) return undefined;
  if (part === "search") return search(run, query.get("q") ?? "");
  if (part === "test") return copyTest(run);
  if (part === "fork") return draft(run, Number(index));
  if (part !== "entries") return undefined;
  if (index === "") return readEntries(run, Number(query.get("from")));
  return describe(run, Number(index));
}

/** Finds a run, even in a session that is not in the list: the address of a run must keep working. */
async function find(store: RunStore, id: string): Promise<Run | undefined> {
  return store.get(id) ?? store.sessions?.open(id);
}

async function copyTest(run: Run): Promise<CopiedTest | undefined> {
  const files = (await recallWhole(run)).copyTest?.().files;
  if (!files) return undefined;
  return { files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, redactCredentials(text)])) };
}

async function draft(run: Run, index: number): Promise<ForkDraft | undefined> {
  const made = draftFork(await recallWhole(run), index);
  return made && redactDraft(made);
}

async function compare(left: Run | undefined, right: Run | undefined): Promise<Comparison | undefined> {
  return left && right && compareRuns(await recallWhole(left), await recallWhole(right));
}

async function readEntries(run: Run, from: number): Promise<EntriesPage> {
  const start = Number.isSafeInteger(from) && from > 0 ? from : 0;
  const entries = await recallEntries(run, start, start + PAGE_SIZE);
  return { run: run.summary, from: start, entries };
}

async function describe(run: Run, index: number): Promise<EntryDetails | undefined> {
  const part = await recallPart(run, index);
  const entry = part.run.entries[index - part.from];
  const sections = part.run.describe(index - part.from, MAX_SECTION);
  return entry && sections && { entry, sections };
}

/** Searches titles and contents. Prompts are left out, because each repeats all messages before it. */
async function search(run: Run, text: string): Promise<SearchHits> {
  const wanted = text.toLowerCase();
  const hits: number[] = [];
  for (let index = 0; index < run.entries.length; index++) {
    if (hits.length === MAX_HITS) return { hits, more: true };
    const part = await recallPart(run, index);
    const { name, title } = part.run.entries[index - part.from] ?? {};
    const isHit = `${name}\n${title}`.toLowerCase().includes(wanted) || part.run.holds(index - part.from, wanted);
    if (isHit) hits.push(index);
  }
  return { hits, more: false };
}

/** The most bytes of a body, far more than a user types. */
const MAX_BODY = 4_000_000;

/** The response to a command. */
interface CommandResult {
  status: number;
  /** `{ error }` if the command was refused or failed. */
  value: Fields;
}

interface CommandContext {
  store: RunStore;
  forks: Forks;
  /** The segments of the path after `api/`. */
  path: readonly string[];
}

/**
 * Returns the refusal of a command that does not come from the page itself. Commands cost money and have effects, so
 * the token alone does not allow them. A request of another page has another origin, and may not set this content type
 * unless the server allows that in a CORS preflight, which it never does.
 */
export function refuse({ headers }: IncomingMessage): CommandResult | undefined {
  const site = headers["sec-fetch-site"];
  const isOwn = headers.origin === `http://${headers.host}` && (site === undefined || site === "same-origin");
  if (!isOwn) return failed(403, "Only the page itself can send commands");
  if (headers["content-type"] !== "application/json") return failed(415, "A command must be JSON");
  return undefined;
}

/** Never rejects. */
export async function runCommand(request: IncomingMessage, context: CommandContext): Promise<CommandResult> {
  try {
    const body = await readBody(request);
    return { status: 200, value: await perform(body, context) };
  } catch (error) {
    if (error instanceof InvalidCommand) return failed(400, error.message);
    if (error instanceof TooLarge) return failed(413, `A command can have at most ${MAX_BODY} bytes`);
    if (error instanceof SyntaxError) return failed(400, "The command is not JSON");
    return failed(500, "The command failed. The source may not be readable now");
  }
}

async function perform(body: Fields, { store, forks, path }: CommandContext): Promise<Fields> {
  const [what, id = "", command] = path.map(decodeURIComponent);
  if (what === "sessions" && store.sessions) {
    const { sessions } = store;
    if (id === "find") return { found: await sessions.find(textOf(body["text"])) };
    await sessions.showMore();
    return {};
  }
  const run = what === "runs" ? store.get(id) : undefined;
  if (!run) throw new InvalidCommand("There is no such run");
  if (command === "fork") return { run: forks.start(await recallWhole(run), indexOf(body["entry"]), body).summary.id };
  if (command === "result") forks.resolve(id, textOf(body["call"]), resolutionOf(body));
  else if (command === "abort") forks.abort(id);
  else throw new InvalidCommand("There is no such command");
  return {};
}

function indexOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : -1;
}

/** The page sends `confirmed` after the user has confirmed that the tool may run with its arguments. */
function resolutionOf({ run, confirmed, text, isError }: Fields): Resolution {
  if (run === true) {
    if (confirmed !== true) throw new InvalidCommand("The user must confirm that the tool may run");
    return "run";
  }
  if (typeof text !== "string") throw new InvalidCommand("A result must be text");
  return { text, isError: isError === true };
}

class TooLarge extends Error {}

async function readBody(request: IncomingMessage): Promise<Fields> {
  const pieces: Buffer[] = [];
  let length = 0;
  // By default, leaving the loop closes the connection, and the response could not be sent.
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    length += piece.length;
    if (length > MAX_BODY) throw new TooLarge();
    pieces.push(piece);
  }
  return fieldsOf(JSON.parse(Buffer.concat(pieces).toString()));
}

function failed(status: number, error: string): CommandResult {
  return { status, value: { error } };
}
