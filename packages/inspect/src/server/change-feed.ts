/** Sends the changes of runs to all open pages, as server-sent events. */
import type { ServerResponse } from "node:http";
import type { Entry, RunSummary } from "../record/entry.js";
import type { Run } from "../record/run.js";
import type { RunStore, StoreChange } from "../record/run-store.js";

/** How long changes are collected before they are sent, in milliseconds. A run can change many times a second. */
const INTERVAL_MS = 100;

/** An event of the feed. */
export interface RunChange {
  run: RunSummary;
  /** New and changed entries by their indexes. */
  entries: [index: number, entry: Entry][];
  /** The run was dropped. */
  dropped?: true;
  /** The run is new, and comes before all others in the list. */
  oldest?: true;
}

export class ChangeFeed {
  readonly #pages = new Set<ServerResponse>();
  readonly #changed = new Map<Run, Set<StoreChange>>();
  readonly #store: RunStore;
  /** Present while a page is open. Without a listener, the store delays writing the entries of runs. */
  #unsubscribe: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** Sends all later changes to a page. The `ready` event tells the page to load what came before. */
  open(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write("event: ready\ndata: {}\n\n");
    this.#pages.add(response);
    this.#unsubscribe ??= this.#store.subscribe((run, change) => this.#note(run, change));
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

  #note(run: Run, change: StoreChange): void {
    const own = this.#changed.get(run);
    if (own) own.add(change);
    else this.#changed.set(run, new Set([change]));
    // The timer must not keep the program alive.
    this.#timer ??= setTimeout(() => this.#send(), INTERVAL_MS).unref();
  }

  #send(): void {
    this.#timer = undefined;
    const text = [...this.#changed].map(([run, changes]) => toEvent(run, changes)).join("");
    this.#changed.clear();
    for (const page of this.#pages) {
      // A page that reads too slowly is disconnected, so that its buffer cannot grow. It reconnects and loads
      // everything.
      if (page.writableNeedDrain) page.destroy();
      else page.write(text);
    }
  }
}

function toEvent(run: Run, changes: ReadonlySet<StoreChange>): string {
  const entries = [...changes].flatMap((index): RunChange["entries"] => {
    const entry = typeof index === "number" ? run.entries[index] : undefined;
    return typeof index === "number" && entry ? [[index, entry]] : [];
  });
  const place = {
    ...(changes.has("dropped") && { dropped: true as const }),
    ...(changes.has("added as oldest") && { oldest: true as const }),
  };
  const change: RunChange = { run: run.summary, entries, ...place };
  return `data: ${JSON.stringify(change)}\n\n`;
}
