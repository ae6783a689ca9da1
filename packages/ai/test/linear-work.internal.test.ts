/**
 * Each byte, event and message is processed a constant number of times. Operations are counted, not timed: code that
 * rereads something for every delta, or copies a list for every message, fails on any machine.
 */

import { afterEach, describe, expect, test, vi } from "vitest";
import { stream } from "../src/index.js";
import { MOST_COPIED_BLOCKS } from "../src/message/message-draft.js";
import { ProxyEventEncoder } from "../src/server/event-encoder.js";
import type { AssistantMessageEvent } from "../src/types/event.js";
import type { AssistantMessage, Message } from "../src/types/message.js";
import type { Model } from "../src/types/model.js";
import { StreamingJsonParser } from "../src/wire/json/streaming-json.js";
import { PARTIES } from "./handoff/parties.js";
import { createResponse } from "./messages.js";
import { adapterOf } from "./protocols/adapters.internal.js";
import { plainModel } from "./support/plain-adapter.js";

interface Work {
  parses: number;
  parsedCharacters: number;
  decodedBytes: number;
  copiedItems: number;
}

/** Counts the calls of the functions through which all such work goes. */
async function countWork(run: () => unknown): Promise<Work> {
  const work: Work = { parses: 0, parsedCharacters: 0, decodedBytes: 0, copiedItems: 0 };
  const parse = JSON.parse;
  const decode = TextDecoder.prototype.decode;
  const slice = Array.prototype.slice;
  vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
    work.parses++;
    work.parsedCharacters += text.length;
    return parse(text, reviver);
  });
  vi.spyOn(TextDecoder.prototype, "decode").mockImplementation(function (this: TextDecoder, bytes, options) {
    work.decodedBytes += bytes?.byteLength ?? 0;
    return decode.call(this, bytes, options);
  });
  // Not a spy, because spies use the function themselves.
  Array.prototype.slice = function (this: unknown[], ...range): unknown[] {
    work.copiedItems += this.length;
    return slice.apply(this, range);
  };
  try {
    await run();
  } finally {
    Array.prototype.slice = slice;
    vi.restoreAllMocks();
  }
  return work;
}

/** Methods for which a text that grew by appending is first put together, which reads all of it. */
const JOINING = [
  "at",
  "charAt",
  "charCodeAt",
  "codePointAt",
  "endsWith",
  "includes",
  "indexOf",
  "slice",
  "trim",
] as const;

/** Counts the texts above a length that were put together. One that has not grown since is counted once. */
async function countJoined(length: number, run: () => unknown): Promise<number> {
  const prototype = String.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const originals = JOINING.map((name) => [name, prototype[name]!] as const);
  const joined = new Set<number>();
  for (const [name, original] of originals) {
    prototype[name] = function (this: string, ...args: unknown[]): unknown {
      if (this.length > length) joined.add(this.length);
      return original.apply(this, args);
    };
  }
  try {
    await run();
  } finally {
    for (const [name, original] of originals) prototype[name] = original;
  }
  return joined.size;
}

afterEach(() => {
  vi.restoreAllMocks();
});

const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { type: string; [field: string]: unknown }): string => `event: ${value.type}\n${event(value)}`;

interface Body {
  api: "anthropic-messages" | "openai-completions" | "openai-responses" | "google-generative-ai";
  write(pieces: readonly string[]): string[];
}

const ITEM = { type: "message", id: "msg_1", role: "assistant" };
const CALL = { type: "function_call", id: "fc_1", call_id: "call_1", name: "write" };
const choice = (delta: object, finish: string | null = null): string =>
  event({ id: "1", choices: [{ index: 0, delta, finish_reason: finish }] });

const TEXTS: readonly Body[] = [
  {
    api: "anthropic-messages",
    write: (pieces) => [
      named({ type: "message_start", message: { id: "msg_1", usage: { input_tokens: 1 } } }),
      named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
      ...pieces.map((text) => named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
      named({ type: "content_block_stop", index: 0 }),
      named({ type: "message_delta", delta: { stop_reason: "end_turn" } }),
      named({ type: "message_stop" }),
    ],
  },
  {
    api: "openai-completions",
    write: (pieces) => [...pieces.map((content) => choice({ content })), choice({}, "stop"), "data: [DONE]\n\n"],
  },
  {
    api: "openai-responses",
    write: (pieces) => [
      named({ type: "response.output_item.added", output_index: 0, item: ITEM }),
      ...pieces.map((delta) => named({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta })),
      named({
        type: "response.output_item.done",
        output_index: 0,
        item: { ...ITEM, content: [{ type: "output_text", text: pieces.join("") }] },
      }),
      named({ type: "response.completed", response: { id: "resp_1", status: "completed" } }),
    ],
  },
  {
    api: "google-generative-ai",
    write: (pieces) => [
      ...pieces.map((text) => event({ candidates: [{ index: 0, content: { parts: [{ text }] } }] })),
      event({ candidates: [{ index: 0, finishReason: "STOP" }] }),
    ],
  },
];

const CALLS: readonly Body[] = [
  {
    api: "anthropic-messages",
    write: (pieces) => [
      named({ type: "message_start", message: { id: "msg_1" } }),
      named({ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "1", name: "write" } }),
      ...pieces.map((text) =>
        named({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: text } }),
      ),
      named({ type: "content_block_stop", index: 0 }),
      named({ type: "message_delta", delta: { stop_reason: "tool_use" } }),
      named({ type: "message_stop" }),
    ],
  },
  {
    api: "openai-completions",
    write: (pieces) => [
      choice({ tool_calls: [{ index: 0, id: "call_1", function: { name: "write", arguments: "" } }] }),
      ...pieces.map((text) => choice({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
      choice({}, "tool_calls"),
      "data: [DONE]\n\n",
    ],
  },
  {
    api: "openai-responses",
    write: (pieces) => [
      named({ type: "response.output_item.added", output_index: 0, item: { ...CALL, arguments: "" } }),
      ...pieces.map((delta) => named({ type: "response.function_call_arguments.delta", output_index: 0, delta })),
      named({ type: "response.output_item.done", output_index: 0, item: { ...CALL, arguments: pieces.join("") } }),
      named({ type: "response.completed", response: { id: "resp_1", status: "completed" } }),
    ],
  },
];

/** Reads a response to its end. With `look`, reads the arguments so far at every delta. */
async function read(
  api: Body["api"],
  body: Buffer,
  look: boolean,
  take?: (event: AssistantMessageEvent) => unknown,
): Promise<AssistantMessage> {
  const pieces = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < body.length; at += 1000) controller.enqueue(body.subarray(at, at + 1000));
      controller.close();
    },
  });
  const fetch = async (): Promise<Response> =>
    new Response(pieces, { headers: { "content-type": "text/event-stream" } });
  const model: Model = { ...plainModel, api };
  const response = stream(
    model,
    { messages: [{ role: "user", content: "Hi.", timestamp: 1 }] },
    { apiKey: "k", fetch },
  );
  for await (const next of response) {
    take?.(next);
    const { type, ...shown } = next;
    const block = look && type === "toolcall_delta" && "partial" in shown && shown.partial.content[0];
    if (block && block.type === "toolCall") void block.arguments["content"];
  }
  return response.result();
}

const indexes = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const SMALL = 500;
const LARGE = 4 * SMALL;
const text = (count: number): string[] => Array.from({ length: count }, () => "word ");
const args = (count: number): string[] => {
  const whole = JSON.stringify({ content: "x".repeat(count * 8) });
  return Array.from({ length: Math.ceil(whole.length / 8) }, (_, at) => whole.slice(at * 8, (at + 1) * 8));
};

async function workOf({ api, write }: Body, pieces: readonly string[], look = false): Promise<Work & { body: number }> {
  const body = Buffer.from(write(pieces).join(""));
  const work = await countWork(async () => expect((await read(api, body, look)).errorMessage).toBeUndefined());
  return { ...work, body: body.length };
}

describe("a stream", () => {
  test.each(TEXTS)(
    "$api: bytes are decoded once, events are parsed once, lists are copied once per delta",
    async (body) => {
      await workOf(body, text(1));
      const small = await workOf(body, text(SMALL));
      const large = await workOf(body, text(LARGE));
      for (const work of [small, large]) {
        expect(work.decodedBytes).toBeLessThan(work.body + 5000);
        expect(work.parsedCharacters).toBeLessThan(work.body);
      }
      expect(large.parses - small.parses).toBe(LARGE - SMALL);
      expect(large.copiedItems - small.copiedItems).toBeLessThanOrEqual(2 * (LARGE - SMALL));
    },
  );

  test.each(CALLS)("$api: arguments are parsed once, at the end, if nothing reads them", async (body) => {
    await workOf(body, args(1));
    const feed = vi.spyOn(StreamingJsonParser.prototype, "feed");
    const small = await workOf(body, args(SMALL));
    const large = await workOf(body, args(LARGE));
    expect(feed).not.toHaveBeenCalled();
    expect(large.parsedCharacters).toBeLessThan(large.body + 1.1 * args(LARGE).join("").length);
    expect(large.parses - small.parses).toBe(LARGE - SMALL);
    expect(large.copiedItems - small.copiedItems).toBeLessThanOrEqual(2 * (LARGE - SMALL));
  });

  test.each(CALLS)(
    "$api: each character of arguments is read once more if the arguments are read at every delta",
    async ({ api, write }) => {
      const pieces = args(LARGE);
      const feed = vi.spyOn(StreamingJsonParser.prototype, "feed");
      await read(api, Buffer.from(write(pieces).join("")), true);
      const fed = feed.mock.calls.reduce((sum, [piece]) => sum + piece.length, 0);
      const { length } = pieces.join("");
      expect(fed).toBeLessThanOrEqual(length);
      // The end of a tool call is parsed as a whole, so that its last pieces may not be read.
      expect(fed).toBeGreaterThan(0.9 * length);
    },
  );

  test.each(CALLS)(
    "$api: arguments that are read at every delta are put together a constant number of times",
    async ({ api, write }) => {
      const body = Buffer.from(write(args(LARGE)).join(""));
      // Longer than what one piece of the body and the line that it continues can be.
      const joined = await countJoined(3000, () => read(api, body, true));
      expect(joined).toBeLessThan(10);
    },
  );
});

const writeTexts = (count: number): string[] => [
  named({ type: "message_start", message: { id: "msg_1" } }),
  ...indexes(count).flatMap((index) => [
    named({ type: "content_block_start", index, content_block: { type: "text", text: "" } }),
    named({ type: "content_block_delta", index, delta: { type: "text_delta", text: "word" } }),
    named({ type: "content_block_stop", index }),
  ]),
  named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } }),
  named({ type: "message_stop" }),
];

/** Bodies with a number of blocks each, all of them complete. */
const MANY: readonly (Omit<Body, "write"> & { name: string; write(count: number): string[] })[] = [
  {
    name: "texts",
    api: "anthropic-messages",
    write: writeTexts,
  },
  {
    name: "tool calls that all stay open",
    api: "openai-completions",
    write: (count) => [
      ...indexes(count).map((index) =>
        choice({ tool_calls: [{ index, id: `call_${index}`, function: { name: "a" } }] }),
      ),
      ...indexes(count).map((index) => choice({ tool_calls: [{ index, function: { arguments: "{}" } }] })),
      choice({}, "tool_calls"),
      "data: [DONE]\n\n",
    ],
  },
  {
    name: "tool calls",
    api: "openai-responses",
    write: (count) => [
      ...indexes(count).flatMap((index) => {
        const item = { ...CALL, id: `fc_${index}`, call_id: `call_${index}` };
        return [
          named({ type: "response.output_item.added", output_index: index, item }),
          named({ type: "response.function_call_arguments.delta", output_index: index, delta: "{}" }),
          named({ type: "response.output_item.done", output_index: index, item: { ...item, arguments: "{}" } }),
        ];
      }),
      named({ type: "response.completed", response: { id: "resp_1", status: "completed" } }),
    ],
  },
  {
    name: "tool calls",
    api: "google-generative-ai",
    write: (count) => [
      ...indexes(count).map((at) =>
        event({ candidates: [{ index: 0, content: { parts: [{ functionCall: { name: "a", args: { at } } }] } }] }),
      ),
      event({ candidates: [{ index: 0, finishReason: "STOP" }] }),
    ],
  },
];

describe("a response of many blocks", () => {
  const blocks = async ({ api, write }: (typeof MANY)[number], count: number): Promise<number> => {
    const body = Buffer.from(write(count).join(""));
    const work = await countWork(async () => {
      const encoder = new ProxyEventEncoder([]);
      const message = await read(api, body, false, (shown) => encoder.encode(shown));
      expect(message.errorMessage).toBeUndefined();
      expect(message.content).toHaveLength(count);
    });
    return work.copiedItems;
  };

  // A copy of a list of blocks costs nothing beside an event, up to a number that only a flood exceeds.
  test.each(MANY)("$api, $name: an event copies at most a bounded number of references", async (body) => {
    const count = 3 * MOST_COPIED_BLOCKS;
    const copied = await blocks(body, count);
    // A block has up to three events.
    expect(copied).toBeLessThan(3 * count * 2 * MOST_COPIED_BLOCKS);
  });

  test("20,000 blocks all arrive", async () => {
    const message = await read("anthropic-messages", Buffer.from(writeTexts(20_000).join("")), false);
    expect(message.content).toEqual(Array.from({ length: 20_000 }, () => ({ type: "text", text: "word" })));
    expect(message.stopReason).toBe("stop");
  });
});

describe("a request", () => {
  /** Turns of a user, a tool call and its result. `reads` counts reads of the content of messages. */
  function conversation(turns: number): { messages: Message[]; reads: () => number } {
    let reads = 0;
    const counted = <TMessage extends Message>(message: TMessage): TMessage => {
      const { content } = message;
      return Object.defineProperty({ ...message }, "content", {
        enumerable: true,
        get: () => {
          reads++;
          return content;
        },
      });
    };
    const model = PARTIES[0]?.model ?? plainModel;
    const messages = Array.from({ length: turns }, (_, turn): Message[] => [
      counted({ role: "user", content: `question ${turn}`, timestamp: 1 }),
      counted(
        createResponse({
          content: [{ type: "toolCall", id: `call_${turn}`, name: "read", arguments: { turn } }],
          api: model.api,
          provider: model.provider,
          model: model.id,
          stopReason: "toolUse",
        }),
      ),
      counted({
        role: "toolResult",
        toolCallId: `call_${turn}`,
        toolName: "read",
        content: [{ type: "text", text: "done" }],
        isError: false,
        timestamp: 1,
      }),
    ]).flat();
    return { messages, reads: () => reads };
  }

  test.each(PARTIES)(
    "$api: a conversation is read a constant number of times per message",
    async ({ api, model, apiKey }) => {
      const workFor = async (turns: number): Promise<{ reads: number; copied: number }> => {
        const { messages, reads } = conversation(turns);
        const request = { model, context: { messages }, options: {}, apiKey, keyIsBearer: false };
        const { copiedItems } = await countWork(() => adapterOf(api).buildRequest(request));
        return { reads: reads(), copied: copiedItems };
      };
      const one = await workFor(1);
      const many = await workFor(200);
      expect(one.reads).toBeGreaterThan(0);
      expect(many.reads).toBeLessThanOrEqual(200 * one.reads + 50);
      expect(many.copied).toBeLessThanOrEqual(200 * (one.copied + 10));
    },
  );
});
