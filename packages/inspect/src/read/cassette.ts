/** Reads the exchanges of a cassette, as `record` of `pi-ai/testing` writes it, and reads parts of it again. */
import type { CopiedTest, Entry, RunFacts, Section } from "../record/entry.js";
import { type Fields, fieldsOf, numberOf, textOf, titleOf, toJson } from "../record/fields.js";
import { describePrompt, promptOfBody } from "../record/prompt-sections.js";
import { FORGOTTEN, Run, type RunHistory, type RunPart } from "../record/run.js";
import type { PartCache } from "../record/run-store.js";
import { entryOfNote } from "../record/sections.js";
import type { ReadLine } from "./read-lines.js";
import type { LineReader, ReadAgain } from "./run-sequence.js";

/** Of so many exchanges that have no end, the oldest counts as left: its program may have died long ago. */
const MAX_OPEN = 1000;

/** Where a part begins. */
export interface CassettePlace {
  place: number;
  number: number;
  /** How many entries and requests come before. */
  entry: number;
  turn: number;
}

/** Notes what is needed to read parts again. */
export interface CassetteMarks {
  /** An entry begins with a line. */
  mark(line: ReadLine, at: Pick<CassettePlace, "entry" | "turn">): void;
  /** A line belongs to the exchange of an entry. */
  reach(line: ReadLine, entry: number | undefined): void;
}

/** A part of a cassette, to be read again. */
export interface CassettePart {
  /** Where it begins. */
  place: CassettePlace;
  /** The number of the line at which the next part begins. */
  before: number;
  /** The request before the first one. */
  previous: Fields | undefined;
  /** The numbers of the lines that belong to no request, which are notes. */
  orphans: ReadonlySet<number>;
}

/** Returns one run with an entry for each exchange. A cassette has no dates, so the entries have durations only. */
export class CassetteReader implements LineReader {
  readonly #run: Run;
  readonly #marks: CassetteMarks | undefined;
  readonly #part: CassettePart | undefined;
  /** The exchanges that are kept, by the indexes of their entries. */
  readonly #kept = new Map<number, Exchange>();
  /** The indexes of the exchanges without an end, by their numbers in the cassette. */
  readonly #open = new Map<unknown, number>();
  readonly #orphans = new Set<number>();
  #previous: Fields | undefined;
  #turn: number;
  #hasFailed = false;

  constructor(run: Run, { marks, part }: { marks?: CassetteMarks | undefined; part?: CassettePart | undefined } = {}) {
    this.#run = run;
    this.#marks = marks;
    this.#part = part;
    this.#previous = part?.previous;
    this.#turn = part?.place.turn ?? 0;
    run.copyTest = () => copyCassetteTest([...this.#kept.values()]);
  }

  get runs(): readonly Run[] {
    return [this.#run];
  }

  /** The numbers of the lines that belong to no request. */
  get orphans(): ReadonlySet<number> {
    return this.#orphans;
  }

  push(line: ReadLine): void {
    if (this.#run.summary.outcome !== "running") this.#run.resume();
    if (this.#part && line.number >= this.#part.before) this.#takeBehind(line);
    else if (line.problem !== undefined) this.#note(line, line.problem);
    else if (line.fields["type"] === "request") this.#begin(line);
    else this.#take(line);
  }

  /** All lines so far have been pushed. */
  rest(): void {
    if (this.#open.size === 0 && this.#run.summary.outcome === "running")
      this.#run.finish(this.#hasFailed ? "error" : "done");
  }

  pause(): void {
    for (const id of [...this.#open.keys()]) this.#leave(id);
    this.rest();
  }

  /** An exchange of a part may end behind it. */
  #takeBehind({ number, fields, problem }: ReadLine): void {
    const id = fields["exchange"];
    if (problem !== undefined || this.#part?.orphans.has(number)) return;
    if (fields["type"] === "request") this.#leave(id);
    else this.#grow(fields, 0);
  }

  #take(line: ReadLine): void {
    const { number, fields, size = 0 } = line;
    const isOrphan = this.#part ? this.#part.orphans.has(number) : !this.#open.has(fields["exchange"]);
    if (!isOrphan) {
      this.#marks?.reach(line, this.#open.get(fields["exchange"]));
      this.#grow(fields, size);
      return;
    }
    this.#orphans.add(number);
    this.#note(line, `Line ${number} belongs to no request`);
  }

  #begin(line: ReadLine): void {
    const { fields, size = 0 } = line;
    const id = fields["exchange"];
    this.#leave(id);
    this.#marks?.mark(line, { entry: this.#run.entries.length, turn: this.#turn });
    const [exchange, previous] = [new Exchange(fields), this.#previous];
    this.#previous = fields;
    const index = this.#run.add(
      exchange.toEntry(++this.#turn),
      () => exchange.describe(),
      () => exchange.describeRequest(previous),
    );
    this.#kept.set(index, exchange);
    this.#open.set(id, index);
    this.#run.weigh(index, size);
    if (this.#open.size > MAX_OPEN) this.#leave(this.#open.keys().next().value);
    this.#letGo();
  }

  #grow(line: Fields, size: number): void {
    const index = this.#open.get(line["exchange"]) ?? -1;
    const exchange = this.#kept.get(index);
    if (!exchange) return;
    exchange.push(line);
    this.#run.weigh(index, size);
    this.#run.update(index, exchange.progress);
    if (line["type"] === "end") this.#leave(line["exchange"]);
  }

  /** Nothing more of an exchange is expected. */
  #leave(id: unknown): void {
    const index = this.#open.get(id) ?? -1;
    this.#open.delete(id);
    const exchange = this.#kept.get(index);
    if (!exchange) return;
    const { outcome } = exchange;
    if (outcome === "error") this.#hasFailed = true;
    this.#run.update(index, { outcome });
  }

  /** The run forgets its oldest entries first. */
  #letGo(): void {
    for (const index of this.#kept.keys()) {
      if (this.#run.entries[index] !== FORGOTTEN) return;
      this.#kept.delete(index);
    }
  }

  #note(line: ReadLine, text: string): void {
    this.#marks?.mark(line, { entry: this.#run.entries.length, turn: this.#turn });
    this.#run.add(entryOfNote(text, 0), () => [{ kind: "text", title: "Note", text }]);
  }
}

/** A request of a cassette with its response. */
class Exchange {
  readonly request: Fields;
  #response: Fields | undefined;
  readonly #chunks: Fields[] = [];
  #end: Fields | undefined;

  constructor(request: Fields) {
    this.request = request;
  }

  push(line: Fields): void {
    if (line["type"] === "response") this.#response = line;
    else if (line["type"] === "chunk") this.#chunks.push(line);
    else if (line["type"] === "end") this.#end = line;
  }

  /** In the order in which they were written. */
  get lines(): Fields[] {
    const [response, end] = [this.#response, this.#end].map((line) => (line ? [line] : []));
    return [this.request, ...(response ?? []), ...this.#chunks, ...(end ?? [])];
  }

  /** If nothing more follows. */
  get outcome(): Entry["outcome"] {
    if (!this.#response || (numberOf(this.#response["status"]) ?? 0) >= 400) return "error";
    return this.#end && this.#end["error"] === undefined ? "done" : "aborted";
  }

  /** While more may follow. */
  toEntry(turn: number): Entry {
    const name = textOf(fieldsOf(this.request["body"])["model"]);
    return { kind: "request", name, outcome: "running", turn, ...this.progress };
  }

  /** What its row shows so far. */
  get progress(): Pick<Entry, "title" | "firstMs" | "durationMs"> {
    const [firstMs, durationMs] = [numberOf(this.#chunks[0]?.["at"]), numberOf(this.#end?.["at"])];
    return {
      title: titleOf(`${this.#address} ${this.#status}`),
      ...(firstMs !== undefined && { firstMs }),
      ...(durationMs !== undefined && { durationMs }),
    };
  }

  get #address(): string {
    return `${textOf(this.request["method"])} ${textOf(this.request["url"])}`;
  }

  get #status(): string {
    return String(this.#response?.["status"] ?? "no response");
  }

  describe(): Section[] {
    const end = this.#end;
    const rows: [string, string][] = [
      ["Request", this.#address],
      ["Status", this.#status],
      ["Headers after", `${String(this.#response?.["at"] ?? "–")} ms`],
      ["First piece after", `${String(this.#chunks[0]?.["at"] ?? "–")} ms`],
      ["End after", `${String(end?.["at"] ?? "–")} ms`],
    ];
    if (typeof end?.["error"] === "string") rows.push(["Broken off", end["error"]]);
    return [
      { kind: "table", title: "Exchange", rows },
      { kind: "text", title: "Response as received", text: this.#chunks.map(decode).join("") },
    ];
  }

  describeRequest(previous: Fields | undefined): Section[] {
    const { body } = this.request;
    const headers = { request: this.request["headers"], response: this.#response?.["headers"] };
    return [
      ...describePrompt(promptOfBody(body), previous && promptOfBody(previous["body"])),
      { kind: "text", title: "Request body", text: typeof body === "string" ? body : toJson(body, 2) },
      { kind: "text", title: "Headers", text: toJson(headers, 2) },
    ];
  }
}

function decode(chunk: Fields): string {
  if (typeof chunk["base64"] === "string") return Buffer.from(chunk["base64"], "base64").toString();
  return textOf(chunk["text"]);
}

/**
 * The test sends the recorded requests themselves. Users replace them with their own code, which gets `fetch` as an
 * option.
 */
function copyCassetteTest(exchanges: readonly Exchange[]): CopiedTest {
  const test = `import { readFile } from "node:fs/promises";
import { replay } from "pi-ai/testing";
import { expect, test } from "vitest";

test("replays the recorded exchanges", async () => {
  const cassette = await readFile(new URL("cassette.jsonl", import.meta.url), "utf8");
  const fetch = replay(cassette);
  const lines = cassette.split("\\n").filter(Boolean).map((line) => JSON.parse(line));
  for (const { url, method, body, exchange } of lines.filter(({ type }) => type === "request")) {
    const sent = body === "" ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const response = await fetch(url, { method, ...sent });
    expect(response.status).toBe(lines.find((line) => line.type === "response" && line.exchange === exchange).status);
    await response.text();
  }
  fetch.assertDone();
});
`;
  const urls = exchanges.map(
    ({ request: { method, url } }) => `// ${JSON.stringify(`${textOf(method)} ${textOf(url)}`)}`,
  );
  // Several recordings in one file may use the same numbers.
  const lines = exchanges.flatMap((one, exchange) => one.lines.map((line) => JSON.stringify({ ...line, exchange })));
  const cassette = lines.map((line) => `${line}\n`).join("");
  return { files: { "cassette.test.ts": `${urls.join("\n")}\n${test}`, "cassette.jsonl": cassette } };
}

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
