/** Requests to the server of the page, and the changes that it reports. */
import type { ForkDraft } from "../fork/fork-draft.js";
import type { CopiedTest } from "../record/copied-test.js";
import type { RunSummary } from "../record/entry.js";
import type { SessionCounts } from "../record/run-store.js";
import type { EntriesPage, EntryDetails, SearchHits } from "../server/api.js";
import type { RunChange } from "../server/change-feed.js";
import type { Comparison } from "../server/compare-runs.js";

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

/** A page of the entries of a run. */
export const loadEntries = (id: string, from: number): Promise<EntriesPage | undefined> =>
  load(`${at(id)}/entries?from=${from}`);

export const loadDraft = (id: string, index: number): Promise<ForkDraft | undefined> => load(`${at(id)}/fork/${index}`);

export const loadComparison = (left: string, right: string): Promise<Comparison | undefined> =>
  load(`compare/${encodeURIComponent(left)}/${encodeURIComponent(right)}`);

/** Sends a command; the error of a refused one is for the user. */
async function send(path: string, body: unknown): Promise<{ run?: string; found?: number; error?: string }> {
  const headers = { "content-type": "application/json" };
  try {
    const response = await fetch(`api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return await response.json();
  } catch {
    return { error: "The server does not respond." };
  }
}

/** The draft with the changes of the user. */
export const startFork = (id: string, body: unknown): Promise<{ run?: string; error?: string }> =>
  send(`${at(id)}/fork`, body);

/** The result that the user typed, or the permission to run the tool. */
export const sendResult = (id: string, body: unknown): Promise<{ error?: string }> => send(`${at(id)}/result`, body);

export const loadSessions = (): Promise<SessionCounts | undefined> => load("sessions");

/** Adds the sessions whose names hold a text, or the next older ones, to the list of runs. */
export const moreSessions = (text: string | undefined): Promise<{ found?: number; error?: string }> =>
  text === undefined ? send("sessions/more", {}) : send("sessions/find", { text });

export const stopFork = (id: string): Promise<{ error?: string }> => send(`${at(id)}/abort`, {});

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
