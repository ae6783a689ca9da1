/**
 * A request as it went over the wire, with its attempts. Every field is checked: it comes from a diagnostics channel,
 * and the `pi-ai` that publishes it may have another version.
 */
import type { Section } from "./entry.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf, toJson } from "./fields.js";
import { type Prompt, promptOfBody } from "./prompt.js";

const BODIES = ["requestBody", "responseBody"] as const;
/** How many bytes of a body the publisher keeps. */
const MAX_KEPT = 1024 * 1024;

export class Wire {
  /** The list of the publisher, which grows while the request is running. Nothing else of the request is kept. */
  #attempts: readonly unknown[];
  #isDropped = false;

  constructor(request: Fields) {
    this.#attempts = listOf(request["attempts"]);
  }

  get attempts(): readonly Fields[] {
    return this.#attempts.map(fieldsOf);
  }

  /** The bytes that all attempts have received so far. */
  get received(): number {
    let sum = 0;
    for (const attempt of this.#attempts) sum += lengthOf(fieldsOf(attempt)["responseBody"]);
    return sum;
  }

  /** The bytes of the bodies that are kept in memory. */
  get size(): number {
    if (this.#isDropped) return 0;
    let sum = 0;
    for (const attempt of this.#attempts)
      for (const name of BODIES) sum += Math.min(lengthOf(fieldsOf(attempt)[name]), MAX_KEPT);
    return sum;
  }

  /** Drops the bodies. */
  drop(): void {
    this.#isDropped = true;
    this.#attempts = this.attempts.map(withoutBodies);
  }

  /** The prompt that was sent; undefined if the body is not JSON, was cut, or was dropped. */
  get prompt(): Prompt | undefined {
    const text = readBody(this.attempts.at(-1)?.["requestBody"]);
    try {
      const body: unknown = JSON.parse(text);
      const prompt = promptOfBody(body);
      return prompt.length > 0 ? prompt : undefined;
    } catch {
      return undefined;
    }
  }

  /** The sections that show the attempts, and the body and headers of the last one. */
  describe(): Section[] {
    const { attempts } = this;
    const last = attempts.length - 1;
    const sections = attempts.flatMap((attempt, index) => describeAttempt(attempt, index, index === last));
    if (!this.#isDropped || attempts.length === 0) return sections;
    return [
      ...sections,
      { kind: "text", title: "Bodies", text: "The bodies are no longer kept: newer ones took their place." },
    ];
  }
}

/** Copies property descriptors instead of values, because reading the headers would compute them. */
function withoutBodies(attempt: Fields): Fields {
  const { requestBody, responseBody, ...facts } = Object.getOwnPropertyDescriptors(attempt);
  return fieldsOf(Object.defineProperties({}, facts));
}

function describeAttempt(attempt: Fields, index: number, isLast: boolean): Section[] {
  const sections: Section[] = [{ kind: "table", title: `Attempt ${index + 1}`, rows: rowsOf(attempt) }];
  const response = readBody(attempt["responseBody"]);
  if (response) sections.push({ kind: "text", title: "Response as received", text: response });
  // All attempts send the same body.
  if (!isLast) return sections;
  const request = readBody(attempt["requestBody"]);
  if (request) sections.push({ kind: "text", title: "Request body", text: request });
  const headers = { request: attempt["requestHeaders"], response: attempt["responseHeaders"] };
  return [...sections, { kind: "text", title: "Headers", text: toJson(headers, 2) }];
}

function rowsOf(attempt: Fields): [string, string][] {
  const start = numberOf(attempt["startTime"]) ?? 0;
  const rows: [string, string][] = [["Request", `${textOf(attempt["method"]) || "send"} ${textOf(attempt["url"])}`]];
  const after = (name: string, time: unknown): void => {
    const at = numberOf(time);
    if (at !== undefined) rows.push([name, `${Math.max(0, at - start)} ms`]);
  };
  if (attempt["status"] !== undefined) rows.push(["Status", String(attempt["status"])]);
  after("Headers after", attempt["responseTime"]);
  after("First piece after", attempt["firstTime"]);
  after("End after", attempt["endTime"]);
  for (const [name, body] of [
    ["Sent", attempt["requestBody"]],
    ["Received", attempt["responseBody"]],
  ] as const)
    if (lengthOf(body) > 0) rows.push([name, `${lengthOf(body)} bytes`]);
  const failure = textOf(fieldsOf(attempt["failure"])["message"]);
  if (failure) rows.push(["Failed", failure]);
  const { ms, requested } = fieldsOf(attempt["wait"]);
  if (numberOf(ms) !== undefined) rows.push(["Waits", `${Math.round(Number(ms))} ms, ${reasonOf(requested)}`]);
  return rows;
}

/** @param requested whether the server asked for the wait before the next attempt */
export function reasonOf(requested: unknown): string {
  return requested === true ? "as the server requested" : "to let the server recover";
}

function lengthOf(body: unknown): number {
  return numberOf(fieldsOf(body)["length"]) ?? 0;
}

function readBody(body: unknown): string {
  if (typeof body !== "object" || body === null || !("read" in body) || typeof body.read !== "function") return "";
  return textOf(body.read());
}
