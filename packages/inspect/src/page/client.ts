/** Requests to the server of the page, and the changes that it reports. */
import type { Entry, RunSummary } from "../record/entry.js";
import type { CopiedTest } from "../record/run.js";
import type { EntriesPage, EntryDetails, SearchHits } from "../server/api.js";
import type { RunChange } from "../server/change-feed.js";

async function load<TValue>(path: string): Promise<TValue | undefined> {
  const response = await fetch(`api/${path}`);
  // The server of this page wrote it.
  return response.ok ? ((await response.json()) as TValue) : undefined;
}

const at = (id: string): string => `runs/${encodeURIComponent(id)}`;

export const loadRuns = async (): Promise<RunSummary[]> => (await load<RunSummary[]>("runs")) ?? [];

export const loadDetails = (id: string, index: number): Promise<EntryDetails | undefined> =>
  load(`${at(id)}/entries/${index}`);

export const findText = (id: string, text: string): Promise<SearchHits | undefined> =>
  load(`${at(id)}/search?q=${encodeURIComponent(text)}`);

export const loadTest = (id: string): Promise<CopiedTest | undefined> => load(`${at(id)}/test`);

/** All entries of a run, in pages. */
export async function loadEntries(id: string): Promise<Entry[] | undefined> {
  const entries: Entry[] = [];
  for (;;) {
    const page = await load<EntriesPage>(`${at(id)}/entries?from=${entries.length}`);
    if (!page) return entries.length > 0 ? entries : undefined;
    // A spread would put all of them on the stack.
    for (const entry of page.entries) entries.push(entry);
    if (page.entries.length === 0 || entries.length >= page.run.entries) return entries;
  }
}

export interface ChangeListener {
  /** The connection stands: what happened before must be loaded. */
  onReady: () => void;
  onChange: (change: RunChange) => void;
  /** The server does not respond. The browser tries again. */
  onGone: () => void;
}

export function listen({ onReady, onChange, onGone }: ChangeListener): void {
  const source = new EventSource("api/changes");
  source.addEventListener("ready", onReady);
  source.onmessage = ({ data }) => onChange(JSON.parse(data));
  source.onerror = () => {
    onGone();
    // A browser gives up after some failures.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen({ onReady, onChange, onGone }), 3000);
  };
}
