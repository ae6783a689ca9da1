/** Sends changes of runs to open pages as server-sent events. */
import type { ServerResponse } from "node:http";
import type { Entry, RunSummary } from "../record/entry.js";
import type { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";

/** How long changes are collected, in milliseconds: a streamed response changes hundreds of times a second. */
const INTERVAL_MS = 100;

/** An event of the feed. */
export interface RunChange {
  run: RunSummary;
  /** New and changed entries by their indexes. */
  entries: [index: number, entry: Entry][];
  dropped?: true;
  /** The run belongs before all others. */
  oldest?: true;
}

export class ChangeFeed {
  readonly #pages = new Set<ServerResponse>();
  readonly #changed = new Map<Run, Set<number>>();
  readonly #store: RunStore;
  /** Present while a page is open: without one, the store need not write runs out. */
  #unsubscribe: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** Sends the changes from now on. The page loads what came before when the response begins. */
  open(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write("event: ready\ndata: {}\n\n");
    this.#pages.add(response);
    this.#unsubscribe ??= this.#store.subscribe((run, index) => this.#note(run, index));
    response.on("close", () => {
      this.#pages.delete(response);
      if (this.#pages.size === 0) this.#rest();
    });
  }

  close(): void {
    for (const page of this.#pages) page.end();
    this.#pages.clear();
    this.#rest();
  }

  #rest(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#changed.clear();
  }

  #note(run: Run, index: number): void {
    const own = this.#changed.get(run);
    if (own) own.add(index);
    else this.#changed.set(run, new Set([index]));
    // An open page must not keep the program alive.
    this.#timer ??= setTimeout(() => this.#send(), INTERVAL_MS).unref();
  }

  #send(): void {
    this.#timer = undefined;
    const text = [...this.#changed].map(([run, indexes]) => toEvent(run, indexes)).join("");
    this.#changed.clear();
    for (const page of this.#pages) {
      // A page that does not read is closed; it connects again and loads everything.
      if (page.writableNeedDrain) page.destroy();
      else page.write(text);
    }
  }
}

function toEvent(run: Run, indexes: ReadonlySet<number>): string {
  const entries = [...indexes].flatMap((index): RunChange["entries"] => {
    const entry = run.entries[index];
    return entry ? [[index, entry]] : [];
  });
  const place = {
    ...(indexes.has(-2) && { dropped: true as const }),
    ...(indexes.has(-3) && { oldest: true as const }),
  };
  const change: RunChange = { run: run.summary, entries, ...place };
  return `data: ${JSON.stringify(change)}\n\n`;
}
