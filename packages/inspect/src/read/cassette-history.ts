/** Reads parts of a cassette again. Exchanges may overlap: the lines of one may lie behind those of the next part. */

import type { RunFacts } from "../record/entry.js";
import type { PartCache } from "../record/part-cache.js";
import { Run, type RunHistory, type RunPart } from "../record/run.js";
import { type CassetteMarks, type CassettePart, type CassettePlace, CassetteReader } from "./cassette.js";
import type { ReadLine } from "./read-lines.js";
import type { ReadAgain } from "./sequence-history.js";

/** A part has at most so many entries, and begins after so many bytes at the latest. */
const PART_ENTRIES = 200;
const PART_BYTES = 1024 * 1024;

interface Mark extends CassettePlace {
  /** The line of the request before, if there is one. */
  previous: Pick<ReadLine, "place" | "number" | "size"> | undefined;
  /** The first byte behind all lines of its exchanges. */
  end: number;
}

export class CassetteHistory implements RunHistory, CassetteMarks {
  readonly #facts: RunFacts;
  readonly #readAgain: ReadAgain;
  readonly #parts: PartCache;
  readonly #marks: Mark[] = [];
  /** The line of the last request. */
  #request: Mark["previous"];
  /** Of the whole cassette. */
  orphans: ReadonlySet<number> = new Set();

  constructor(facts: RunFacts, readAgain: ReadAgain, parts: PartCache) {
    this.#facts = facts;
    this.#readAgain = readAgain;
    this.#parts = parts;
  }

  mark(line: ReadLine, { entry, turn }: Pick<CassettePlace, "entry" | "turn">): void {
    const { place = 0, number, size = 0, fields } = line;
    const last = this.#marks.at(-1);
    if (!last || entry - last.entry >= PART_ENTRIES || place - last.place >= PART_BYTES)
      this.#marks.push({ place, number, entry, turn, previous: this.#request, end: place });
    this.reach(line, entry);
    if (fields["type"] === "request") this.#request = { place, number, size };
  }

  reach({ place = 0, size = 0 }: ReadLine, entry = -1): void {
    const mark = this.#marks[this.#find(entry)];
    if (mark) mark.end = Math.max(mark.end, place + size);
  }

  async partAt(index: number): Promise<RunPart> {
    const found = this.#find(index);
    const [mark, next] = [this.#marks[found], this.#marks[found + 1]];
    if (!mark) throw new Error("The source has changed");
    const load = async (): Promise<{ part: RunPart; size: number }> => {
      const previous = await this.#readPrevious(mark);
      const { orphans } = this;
      const part = { place: mark, before: next?.number ?? Number.POSITIVE_INFINITY, previous, orphans };
      return { part: { run: await this.#read(mark, mark.end, part), from: mark.entry }, size: mark.end - mark.place };
    };
    // The last part may grow.
    if (!next) return (await load()).part;
    return this.#parts.get(mark, load);
  }

  whole(): Promise<Run> {
    return this.#read({ place: 0, number: 1 });
  }

  /** The mark of the part that holds an entry. */
  #find(entry: number): number {
    let [low, high] = [0, this.#marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#marks[middle]?.entry ?? 0) <= entry) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  async #readPrevious({ previous }: Mark): Promise<ReadLine["fields"] | undefined> {
    if (previous?.place === undefined) return undefined;
    const { place, number, size = 0 } = previous;
    for await (const { fields } of this.#readAgain({ place, number }, place + size)) return fields;
    return undefined;
  }

  async #read(from: { place: number; number: number }, to?: number, part?: CassettePart): Promise<Run> {
    const run = new Run(this.#facts);
    const reader = new CassetteReader(run, { part });
    for await (const line of this.#readAgain(from, to)) reader.push(line);
    reader.pause();
    return run;
  }
}
