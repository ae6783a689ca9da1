/** A request of a cassette with its response. */
import type { Entry, Section } from "../record/entry.js";
import { type Fields, fieldsOf, numberOf, textOf, titleOf, toJson } from "../record/fields.js";
import { describePrompt, promptOfBody } from "../record/prompt.js";

export class Exchange {
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
