/** Serves the data that the page reads: runs, entries and their details, searches, drafts of forks, comparisons. */
import { draftFork, type ForkDraft, redactDraft } from "../fork/fork-draft.js";
import { redactCredentials } from "../record/credentials.js";
import type { CopiedTest, Entry, RunSummary, Section } from "../record/entry.js";
import { cutText, moreCharacters } from "../record/fields.js";
import { type Run, recallEntries, recallPart, recallWhole } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import { type Comparison, compareRuns } from "./compare-runs.js";

/** The most entries in one response. */
export const PAGE_SIZE = 1000;
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
  const sections = part.run.describe(index - part.from);
  return entry && sections && { entry, sections: sections.map(shorten) };
}

function shorten(section: Section): Section {
  if (section.kind === "table") return section;
  if (section.kind === "difference")
    return {
      ...section,
      after: cutText(section.after, MAX_SECTION, moreCharacters),
      before: cutText(section.before, MAX_SECTION, moreCharacters),
    };
  return { ...section, text: cutText(section.text, MAX_SECTION, moreCharacters) };
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
