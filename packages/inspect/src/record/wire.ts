/**
 * A request as it went over the wire, with its attempts. Every field is checked: it comes from a diagnostics channel,
 * and the `pi-ai` that publishes it may have another version.
 */
import type { Section } from "./entry.js";
import { fieldsOf, numberOf, textOf, toJson } from "./fields.js";
import { type Prompt, promptOfBody } from "./prompt-sections.js";

const BODIES = ["requestBody", "responseBody"] as const;
/** How many bytes of a body the publisher keeps. */
const MAX_KEPT = 1024 * 1024;

/** One attempt to send a request, checked. */
export interface Attempt {
  readonly method: string;
  readonly url: string;
  /** Undefined until a response begins. */
  readonly status: unknown;
  readonly startedAt: number | undefined;
  readonly respondedAt: number | undefined;
  readonly firstAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly requestBody: unknown;
  readonly responseBody: unknown;
  /** A function, because reading the headers computes them. */
  readonly headers: () => { request: unknown; response: unknown };
  /** The message of what failed. Empty if nothing did. */
  readonly failure: string;
  /** The wait that follows. */
  readonly wait: { readonly ms: number; readonly reason: string } | undefined;
}

export class Wire {
  /** The list of the publisher, which grows while the request is running. Nothing else of the request is kept. */
  #attempts: readonly unknown[];
  #isDropped = false;

  constructor({ attempts }: { readonly attempts: readonly unknown[] }) {
    this.#attempts = attempts;
  }

  get attempts(): readonly Attempt[] {
    return this.#attempts.map(readAttempt);
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
    this.#attempts = this.#attempts.map(withoutBodies);
  }

  /** The prompt that was sent; undefined if the body is not JSON, was cut, or was dropped. */
  get prompt(): Prompt | undefined {
    const text = readBody(this.attempts.at(-1)?.requestBody);
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

function readAttempt(value: unknown): Attempt {
  const attempt = fieldsOf(value);
  const { ms, requested } = fieldsOf(attempt["wait"]);
  const waited = numberOf(ms);
  return {
    method: textOf(attempt["method"]),
    url: textOf(attempt["url"]),
    status: attempt["status"],
    startedAt: numberOf(attempt["startTime"]),
    respondedAt: numberOf(attempt["responseTime"]),
    firstAt: numberOf(attempt["firstTime"]),
    endedAt: numberOf(attempt["endTime"]),
    requestBody: attempt["requestBody"],
    responseBody: attempt["responseBody"],
    headers: () => ({ request: attempt["requestHeaders"], response: attempt["responseHeaders"] }),
    failure: textOf(fieldsOf(attempt["failure"])["message"]),
    wait: waited === undefined ? undefined : { ms: waited, reason: reasonOf(requested) },
  };
}

/** @param requested whether the server asked for the wait before the next attempt */
function reasonOf(requested: unknown): string {
  return requested === true ? "as the server requested" : "to let the server recover";
}

/** Whether a request was sent more than once, or waits to be. */
export function isRetried([first, second]: readonly unknown[]): boolean {
  return second !== undefined || fieldsOf(first)["wait"] !== undefined;
}

/** Copies property descriptors instead of values, because reading the headers would compute them. */
function withoutBodies(attempt: unknown): object {
  const { requestBody, responseBody, ...facts } = Object.getOwnPropertyDescriptors(fieldsOf(attempt));
  return Object.defineProperties({}, facts);
}

function describeAttempt(attempt: Attempt, index: number, isLast: boolean): Section[] {
  const sections: Section[] = [{ kind: "table", title: `Attempt ${index + 1}`, rows: rowsOf(attempt) }];
  const response = readBody(attempt.responseBody);
  if (response) sections.push({ kind: "text", title: "Response as received", text: response });
  // All attempts send the same body.
  if (!isLast) return sections;
  const request = readBody(attempt.requestBody);
  if (request) sections.push({ kind: "text", title: "Request body", text: request });
  return [...sections, { kind: "text", title: "Headers", text: toJson(attempt.headers(), 2) }];
}

function rowsOf(attempt: Attempt): [string, string][] {
  const { method, url, status, startedAt = 0, failure, wait } = attempt;
  const rows: [string, string][] = [["Request", `${method || "send"} ${url}`]];
  const after = (name: string, at: number | undefined): void => {
    if (at !== undefined) rows.push([name, `${Math.max(0, at - startedAt)} ms`]);
  };
  if (status !== undefined) rows.push(["Status", String(status)]);
  after("Headers after", attempt.respondedAt);
  after("First piece after", attempt.firstAt);
  after("End after", attempt.endedAt);
  for (const [name, body] of [
    ["Sent", attempt.requestBody],
    ["Received", attempt.responseBody],
  ] as const)
    if (lengthOf(body) > 0) rows.push([name, `${lengthOf(body)} bytes`]);
  if (failure) rows.push(["Failed", failure]);
  if (wait) rows.push(["Waits", `${Math.round(wait.ms)} ms, ${wait.reason}`]);
  return rows;
}

function lengthOf(body: unknown): number {
  return numberOf(fieldsOf(body)["length"]) ?? 0;
}

function readBody(body: unknown): string {
  if (typeof body !== "object" || body === null || !("read" in body) || typeof body.read !== "function") return "";
  return textOf(body.read());
}
