/** A target with the function under test, and the operations that the cases use. */
import { getEventListeners } from "node:events";
import { Type } from "@sinclair/typebox";
import type { AssistantMessage, AssistantMessageEvent, Context, ProviderStreamOptions } from "pi-ai";
import { expect } from "vitest";
import { type Observation, observe } from "../support/observe.js";
import { checkSettle } from "../wire/check-ending.js";
import { checkFields } from "../wire/check-surface.js";
import { faultOfEvents } from "../wire/events-rule.js";
import type { StreamUnderTest } from "../wire/replay.js";
import { type ExpectedResponse, type PreparedRequest, type Target, toExpected } from "./target.js";

export const CONTEXT: Context = {
  messages: [{ role: "user", content: "Hello.", timestamp: 0 }],
  tools: [
    { name: "read", description: "Reads a file", parameters: Type.Object({ path: Type.Optional(Type.String()) }) },
  ],
};

export type OpenStream = ReturnType<StreamUnderTest>;

export class Subject<TTarget extends Target = Target> {
  readonly target: TTarget;
  readonly #stream: StreamUnderTest;

  constructor(target: TTarget, stream: StreamUnderTest) {
    this.target = target;
    this.#stream = stream;
  }

  start({ model, options }: PreparedRequest, more: ProviderStreamOptions = {}): OpenStream {
    return this.#stream(model, CONTEXT, { ...options, ...more });
  }

  /** Sends the request, reads the response to its end, and checks what holds for every response. */
  async run(call: PreparedRequest, more: ProviderStreamOptions = {}): Promise<AssistantMessage> {
    const { message } = await this.watch(call, () => this.start(call, more));
    return message;
  }

  async watch(
    call: PreparedRequest,
    start: () => OpenStream,
  ): Promise<{ message: AssistantMessage; events: Observation["events"] }> {
    const seen = await observe(start, call.exchange?.served ?? Promise.resolve());
    const requests = call.exchange?.requests.length ?? 0;
    const rules = { events: faultOfEvents, settle: checkSettle, fields: checkFields };
    for (const [rule, check] of Object.entries(rules)) expect(check({ seen, requests }), rule).toBeUndefined();
    if (!seen.message) throw new Error("The request has no final message");
    return { message: seen.message, events: seen.events };
  }
}

export function expectResponse(message: AssistantMessage, expected: ExpectedResponse): void {
  const hasCall = expected.content.some(
    (block) => block.type === "toolCall" || (block.type === "serverTool" && block.status === "waiting"),
  );
  expect(message.errorMessage).toBeUndefined();
  expect(toExpected(message)).toMatchObject(expected.content);
  expect(message.stopReason).toBe(expected.stopReason ?? (hasCall ? "toolUse" : "stop"));
  expectUsage(message, expected.totalTokens);
}

/** The counts add up, to the expected total if there is one. */
export function expectUsage({ usage }: AssistantMessage, total: number = usage.totalTokens): void {
  expect(usage.input + usage.output + usage.cacheRead + usage.cacheWrite).toBe(total);
  expect(usage.totalTokens).toBe(total);
}

/** The message of a failed response contains a beginning of the response and nothing else. */
export function expectBeginning(message: AssistantMessage, { content }: ExpectedResponse): void {
  const whole = content.map(textOf);
  for (const [index, block] of toExpected(message).entries()) {
    expect(block.type).toBe(content[index]?.type);
    expect(whole[index]?.startsWith(textOf(block))).toBe(true);
  }
}

function textOf(block: ExpectedResponse["content"][number]): string {
  if (block.type === "text") return block.text;
  return block.type === "thinking" ? block.thinking : "";
}

/**
 * Everything in an event that must not change after it, as JSON.
 *
 * @param streaming tool calls and server tools that are not complete: their arguments or input are a live view
 */
export function freeze(event: AssistantMessageEvent, streaming: ReadonlySet<number>): string {
  const message = "partial" in event ? event.partial : event.type === "done" ? event.message : event.error;
  const content = message.content.map((block, index) =>
    streaming.has(index) ? { ...block, arguments: undefined, input: undefined } : block,
  );
  const { partial: _, ...own } = { partial: undefined, ...event };
  return JSON.stringify([own, { ...message, content }]);
}

/** The number of listeners on the caller's signal. */
export function listenersOf(signal: AbortSignal): number {
  return getEventListeners(signal, "abort").length;
}
