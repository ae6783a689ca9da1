/** Notes about a list of models. */

/** A note about a list. */
export interface ListModelsNote {
  /**
   * - `other_models`: entries for embeddings, images and the like; `count`.
   * - `unreadable`: entries without a usable id; `count`.
   * - `twice`: ids of further entries with an id that came before; they are left out.
   * - `retired`: ids of models that no longer answer; they are left out.
   * - `cut`: the list is longer than `maxModels` or has too many pages; `count` or `pages`.
   * - `assumed`: `field` is neither in the list nor in the catalogue for these ids.
   * - `no_tools`: ids of models that cannot call tools.
   * - `ends`: ids of models that end soon; see `lifecycle` of each.
   */
  type: "other_models" | "unreadable" | "twice" | "retired" | "cut" | "assumed" | "no_tools" | "ends";
  /** How many entries or models. */
  count?: number;
  /** How many pages were read. */
  pages?: number;
  /** The first ids, at most 20. */
  ids?: string[];
  /** The field of the model. */
  field?: string;
}

/** The ids that a note names. */
const MAX_IDS = 20;

/** Collects the notes of one list, so that each is sent once. */
export class ListNotes {
  readonly #send: ((note: ListModelsNote) => void) | undefined;
  readonly #notes = new Map<string, ListModelsNote>();

  constructor(send: ((note: ListModelsNote) => void) | undefined) {
    this.#send = send;
  }

  add(type: ListModelsNote["type"], facts: Omit<ListModelsNote, "type">): void {
    this.#notes.set(type, { ...this.#notes.get(type), type, ...facts });
  }

  /** Counts an entry. */
  count(type: ListModelsNote["type"]): void {
    this.add(type, { count: (this.#notes.get(type)?.count ?? 0) + 1 });
  }

  /** Counts a model, and names it. */
  list(type: ListModelsNote["type"], id: string, field?: string): void {
    const key = field === undefined ? type : `${type} ${field}`;
    const { count = 0, ids = [] } = this.#notes.get(key) ?? {};
    if (ids.length < MAX_IDS) ids.push(id);
    this.#notes.set(key, { type, count: count + 1, ids, ...(field === undefined ? {} : { field }) });
  }

  send(): void {
    for (const note of this.#notes.values()) this.#send?.(note);
  }
}
