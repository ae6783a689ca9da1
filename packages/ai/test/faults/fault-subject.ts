/** One api in the fault matrix: sends requests that meet a fault, and checks what holds for every outcome. */
import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import {
  type AssistantMessage,
  type AssistantMessageEventStream,
  type Context,
  type Model,
  type ProviderStreamOptions,
  stream,
} from "pi-ai";
import { expect } from "vitest";
import { eventually } from "../../../../test/support/patience.js";
import { CONTEXT } from "../conformance/subject.js";
import type { FaultExchange, FaultScript, FaultServer, FaultWire } from "../fault-server/fault-server.js";
import { httpChunk, httpHead, LAST_CHUNK } from "../fault-server/http-response.js";
import { CANARIES } from "../support/credentials.js";
import { type ObservableStream, type Observation, observe } from "../support/observe.js";
import { encodeFrame, TEXT } from "../support/websocket-frames.js";
import { checkSettle } from "../wire/check-ending.js";
import { faultOfEvents } from "../wire/events-rule.js";
import { type FaultWireFormat, responseOf, textPart, type WireEvent } from "./fault-wire-format.js";

/** What follows the last event: the proper end of the response, a broken connection, or silence. */
export type After = "end" | "reset" | "fin" | "silence";

export interface FaultRequest {
  model: Model;
  options: ProviderStreamOptions;
  exchange: FaultExchange;
}

export interface Outcome {
  message: AssistantMessage;
  events: Observation["events"];
  exchange: FaultExchange;
}

/** The text of the response that most rows corrupt. */
export const CONTROL_PIECES = ["Hel", "lo, ", "wörld 🌍!"] as const;
export const CONTROL_TEXT: string = CONTROL_PIECES.join("");
export const CONTROL_TOTAL = 15;

const LARGE = 1_000_000;
const SECRETS = [CANARIES.apiKey, CANARIES.awsSecretAccessKey];

export class FaultSubject {
  readonly wire: FaultWireFormat;
  readonly isSocket: boolean;
  /** Sends the requests. */
  readonly send: typeof stream;
  readonly #server: () => FaultServer;

  constructor(wire: FaultWireFormat, server: () => FaultServer, send: typeof stream = stream) {
    this.wire = wire;
    this.send = send;
    this.isSocket = wire.fixtures.options?.["transport"] === "websocket";
    this.#server = server;
  }

  get name(): string {
    return this.wire.fixtures.name;
  }

  get server(): FaultServer {
    return this.#server();
  }

  /** The events of the control response. */
  get control(): WireEvent[] {
    return responseOf(this.wire, [textPart(...CONTROL_PIECES)]);
  }

  /** The control response up to its second delta. */
  get beginning(): WireEvent[] {
    const events = this.control;
    const needle = JSON.stringify(CONTROL_PIECES[1]);
    return events.slice(0, events.findIndex((event) => JSON.stringify(event).includes(needle)) + 1);
  }

  frames(events: readonly WireEvent[]): Uint8Array[] {
    return events.map((event) => this.wire.frame(event));
  }

  body(events: readonly WireEvent[]): Buffer {
    return Buffer.concat(this.frames(events));
  }

  get head(): string {
    return this.headOf({});
  }

  headOf(headers: Readonly<Record<string, string>>, status: number = 200): string {
    const type = this.wire.fixtures.contentType;
    return httpHead(status, { "content-type": type, "transfer-encoding": "chunked", ...headers });
  }

  /** A script that sends these events. Up to `burst` of them are written at once. */
  say(events: readonly WireEvent[], after: After = "end", burst: number = 1): FaultScript {
    return this.sayFrames(this.frames(events), after, burst);
  }

  sayFrames(frames: readonly Uint8Array[], after: After = "end", burst: number = 1): FaultScript {
    return async (wire) => {
      if (!wire.isWebSocket) await wire.send(this.head);
      for (let at = 0; at < frames.length; at += burst) {
        const bytes = Buffer.concat(frames.slice(at, at + burst).map((frame) => this.pack(wire, frame)));
        if (!(await wire.send(bytes))) return;
      }
      await finish(wire, after);
    };
  }

  /** An event in its transfer form: a chunk of a body, or a message. */
  pack(wire: Pick<FaultWire, "isWebSocket">, frame: Uint8Array): Uint8Array {
    return wire.isWebSocket ? encodeFrame(TEXT, dataOf(frame)) : httpChunk(frame);
  }

  /** An HTTP response with a complete body. */
  respond(status: number, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): FaultScript {
    return async (wire) => {
      const length = String(Buffer.byteLength(body));
      await wire.send(httpHead(status, { "content-type": "application/json", "content-length": length, ...headers }));
      wire.markComplete();
      await wire.send(body);
    };
  }

  /** An HTTP error with this text. */
  refuse(status: number, words: string, headers: Readonly<Record<string, string>> = {}): FaultScript {
    return this.respond(status, this.wire.fixtures.errorBody(words), headers);
  }

  call(...scripts: FaultScript[]): FaultRequest {
    const exchange = this.server.expect(...scripts);
    const options = { apiKey: CANARIES.apiKey, maxRetries: 0, ...this.wire.fixtures.options };
    return { model: this.wire.fixtures.model(exchange.url), options, exchange };
  }

  open(
    { model, options }: FaultRequest,
    more: ProviderStreamOptions = {},
    context: Context = CONTEXT,
  ): AssistantMessageEventStream {
    return this.send(model, context, { ...options, ...more });
  }

  /** Sends the request, reads the response to its end, and checks what holds for every outcome. */
  run(call: FaultRequest | FaultScript, more: ProviderStreamOptions = {}): Promise<Outcome> {
    const made = typeof call === "function" ? this.call(call) : call;
    return this.watch(made, () => this.open(made, more));
  }

  async watch({ exchange }: Pick<FaultRequest, "exchange">, start: () => ObservableStream): Promise<Outcome> {
    const seen = await observe(start, exchange.served);
    const requests = exchange.requests.length;
    expect(checkSettle({ seen, requests })).toBeUndefined();
    expect(faultOfEvents({ seen, requests })).toBeUndefined();
    if (!seen.message) throw new Error("The request has no final message");
    expectPlain(seen.message);
    expectNoSecret(seen);
    await closed(exchange);
    return { message: seen.message, events: seen.events, exchange };
  }

  /** Expects the complete control response. */
  async expectControl(call: FaultRequest | FaultScript, more: ProviderStreamOptions = {}): Promise<Outcome> {
    const outcome = await this.run(call, more);
    expectControlMessage(outcome.message);
    return outcome;
  }

  /** Expects one error, after the content that arrived before it. */
  async expectError(
    call: FaultRequest | FaultScript,
    { text = "", more = {} }: { text?: string; more?: ProviderStreamOptions } = {},
  ): Promise<Outcome> {
    const outcome = await this.run(call, more);
    expectErrorMessage(outcome.message, text);
    return outcome;
  }
}

export function expectControlMessage(message: AssistantMessage): void {
  expect(message.errorMessage).toBeUndefined();
  expect(message.stopReason).toBe("stop");
  expect(textOf(message)).toBe(CONTROL_TEXT);
  expect(message.usage.totalTokens).toBe(CONTROL_TOTAL);
}

export function expectErrorMessage(message: AssistantMessage, text: string = ""): void {
  expect(message.stopReason, `${message.errorMessage} ${textOf(message)}`).toBe("error");
  expect(message.errorMessage?.length).toBeGreaterThan(5);
  expect(message.errorMessage?.length).toBeLessThan(5000);
  expect(message.errorMessage).not.toMatch(/undefined|\[object|cannot read prop/i);
  expect(message.error?.kind).toBeDefined();
  expect(textOf(message)).toBe(text);
}

export function textOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

export function callsOf({
  content,
}: AssistantMessage): Extract<AssistantMessage["content"][number], { type: "toolCall" }>[] {
  return content.filter((block) => block.type === "toolCall");
}

export function listenersOn(signal: AbortSignal): number {
  return getEventListeners(signal, "abort").length;
}

/** Expects no key in anything that the caller can inspect. */
export function expectNoSecret(...values: unknown[]): void {
  for (const value of values) {
    const json = stringify(value);
    // Inspecting megabytes takes longer than the request.
    const looks = json.length > LARGE ? "" : inspect(value, { depth: 12, maxStringLength: null, showHidden: true });
    for (const secret of SECRETS)
      expect(json.includes(secret) || looks.includes(secret), "a secret is shown").toBe(false);
  }
}

/** Expects the client to close every connection whose response was never complete. */
export async function closed(exchange: FaultExchange): Promise<void> {
  await eventually(() => expect(exchange.dangling, "connections still open after the end of the call").toBe(0));
}

/** Expects valid counts, and a message that survives storage. */
function expectPlain(message: AssistantMessage): void {
  const { cost, ...counts } = message.usage;
  for (const count of [...Object.values(counts), ...Object.values(cost)]) {
    expect(Number.isFinite(count) && Number(count) >= 0, `usage ${inspect(message.usage)}`).toBe(true);
  }
  expect(Object.getPrototypeOf(message)).toBe(Object.prototype);
  JSON.stringify(message.usage);
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** A WebSocket message contains only the data of an event. */
function dataOf(frame: Uint8Array): Buffer {
  const at = Buffer.from(frame).indexOf("data: ");
  return Buffer.from(frame).subarray(at + 6, frame.length - 2);
}

/** What follows the last event. */
export async function finish(wire: FaultWire, after: After): Promise<void> {
  if (after === "reset") await wire.reset();
  else if (after === "fin") wire.fin();
  else if (after === "end") {
    wire.markComplete();
    if (!wire.isWebSocket) await wire.send(LAST_CHUNK);
  }
}
