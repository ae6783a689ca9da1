/** Sends requests to the server of the page, and receives the changes that it reports. */
import type { ForkDraft } from "../fork/fork-draft.js";
import type { CopiedTest, RunSummary } from "../record/entry.js";
import type { SessionCounts } from "../record/run-store.js";
import type { EntriesPage, EntryDetails, SearchHits } from "../server/api.js";
import type { RunChange } from "../server/change-feed.js";
import type { Comparison } from "../server/compare-runs.js";

async function load<TValue>(path: string): Promise<TValue | undefined> {
  const response = await fetch(`api/${path}`);
  // The server of this page writes the type that the caller names.
  return response.ok ? ((await response.json()) as TValue) : undefined;
}

const at = (id: string): string => `runs/${encodeURIComponent(id)}`;

export const loadRuns = async (): Promise<RunSummary[]> => (await load<RunSummary[]>("runs")) ?? [];

export const loadDetails = (id: string, index: number): Promise<EntryDetails | undefined> =>
  load(`${at(id)}/entries/${index}`);

export const findText = (id: string, text: string): Promise<SearchHits | undefined> =>
  load(`${at(id)}/search?q=${encodeURIComponent(text)}`);

export const loadTest = (id: string): Promise<CopiedTest | undefined> => load(`${at(id)}/test`);

/** Loads up to 1,000 entries of a run, beginning with the index `from`. */
export const loadEntries = (id: string, from: number): Promise<EntriesPage | undefined> =>
  load(`${at(id)}/entries?from=${from}`);

export const loadDraft = (id: string, index: number): Promise<ForkDraft | undefined> => load(`${at(id)}/fork/${index}`);

export const loadComparison = (left: string, right: string): Promise<Comparison | undefined> =>
  load(`compare/${encodeURIComponent(left)}/${encodeURIComponent(right)}`);

/** Sends a command. Resolves with an `error` to show to the user if it failed or was refused. */
async function send(path: string, body: unknown): Promise<{ run?: string; found?: number; error?: string }> {
  const headers = { "content-type": "application/json" };
  try {
    const response = await fetch(`api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return await response.json();
  } catch {
    return { error: "The server does not respond." };
  }
}

/** @param body the draft with the user's changes */
export const startFork = (id: string, body: unknown): Promise<{ run?: string; error?: string }> =>
  send(`${at(id)}/fork`, body);

/** @param body the result that the user typed, or the permission to run the tool */
export const sendResult = (id: string, body: unknown): Promise<{ error?: string }> => send(`${at(id)}/result`, body);

export const loadSessions = (): Promise<SessionCounts | undefined> => load("sessions");

/** Adds sessions to the list of runs: those whose names contain a text, or the next older ones if it is undefined. */
export const moreSessions = (text: string | undefined): Promise<{ found?: number; error?: string }> =>
  text === undefined ? send("sessions/more", {}) : send("sessions/find", { text });

export const stopFork = (id: string): Promise<{ error?: string }> => send(`${at(id)}/abort`, {});

export interface ChangeListener {
  /** The connection is open. Changes before this moment were not reported, and must be loaded. */
  onReady: () => void;
  onChange: (change: RunChange) => void;
  /** The connection was lost. It is retried until the server responds. */
  onGone: () => void;
}

export function listen({ onReady, onChange, onGone }: ChangeListener): void {
  const source = new EventSource("api/changes");
  source.addEventListener("ready", onReady);
  source.onmessage = ({ data }) => onChange(JSON.parse(data));
  source.onerror = () => {
    onGone();
    // The browser has given up, as it does after an HTTP error.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen({ onReady, onChange, onGone }), 3000);
  };
}
