/** Answers of servers of the Messages, the Responses and the Gemini API. */
import { CALL, DONE, type OddAnswer, stream } from "./odd-answer.js";

type Fields = Readonly<Record<string, unknown>>;

/** Each event with its name, and without its type if it must do without. */
const named = (events: readonly object[]): string =>
  events
    .map((event) => {
      const { type, ...fields }: Fields = { ...event };
      return `event: ${type}\ndata: ${JSON.stringify(fields)}\n\n`;
    })
    .join("");

const START = { type: "message_start", message: { id: "m", role: "assistant", model: "c", content: [], usage: {} } };
const begin = (index: unknown, block: object): object => ({ type: "content_block_start", index, content_block: block });
const grow = (index: unknown, delta: object): object => ({ type: "content_block_delta", index, delta });
const stop = (index: unknown): object => ({ type: "content_block_stop", index });
const reason = (word: string): object => ({ type: "message_delta", delta: { stop_reason: word }, usage: {} });
const END = [reason("end_turn"), { type: "message_stop" }];
const TEXT = { type: "text", text: "" };
const hello = (index: unknown, delta: object = { type: "text_delta", text: "Hello" }): object[] => [
  begin(0, TEXT),
  grow(index, delta),
  stop(index),
];
const read = (delta: object): string =>
  stream(
    START,
    begin(0, { type: "tool_use", id: "a", name: "read", input: {} }),
    grow(0, delta),
    stop(0),
    reason("tool_use"),
    { type: "message_stop" },
  );

export const MESSAGES_BEGINNING: string = stream(START, begin(0, TEXT), grow(0, { type: "text_delta", text: "Hel" }));
export const MESSAGES_ANSWERS: readonly OddAnswer[] = [
  ["types in the names of events", named([START, ...hello(0), ...END]), "Hello | stop"],
  ["an index that is a text once", stream(START, ...hello("0"), ...END), "Hello | stop"],
  ["no start of a block", stream(START, ...hello(0).slice(1), ...END), "Hello | stop"],
  ["text after the end of its block", stream(START, ...hello(0), grow(0, { text: "!" }), ...END), "Hello | ! | stop"],
  ["the end marker of Chat Completions", `${stream(START, ...hello(0), reason("end_turn"))}${DONE}`, "Hello | stop"],
  [
    "an empty object before the arguments",
    stream(
      START,
      begin(0, { type: "tool_use", id: "a", name: "read", input: {} }),
      grow(0, { type: "input_json_delta", partial_json: "{}" }),
      grow(0, { type: "input_json_delta", partial_json: '{"path":"a"}' }),
      stop(0),
      reason("tool_use"),
      { type: "message_stop" },
    ),
    `${CALL} | toolUse`,
  ],
  ["a delta without a type", stream(START, ...hello(0, { text: "Hello" }), ...END), "Hello | stop"],
  [
    "thinking in text",
    stream(START, begin(0, { type: "thinking" }), grow(0, { type: "thinking_delta", text: "hm" }), stop(0), ...END),
    "(hm) | stop",
  ],
  ["arguments as an object", read({ type: "input_json_delta", partial_json: { path: "a" } }), `${CALL} | toolUse`],
  [
    "arguments as JSON in JSON",
    read({ type: "input_json_delta", partial_json: JSON.stringify('{"path":"a"}') }),
    `${CALL} | toolUse`,
  ],
  [
    "the reason in the last event",
    stream(START, ...hello(0), { type: "message_stop", stop_reason: "end_turn" }),
    "Hello | stop",
  ],
  [
    "a message without a type",
    JSON.stringify({ role: "assistant", content: [{ type: "text", text: "Hello" }], stop_reason: "end_turn" }),
    "Hello | stop",
  ],
  [
    "an event of its own with a message",
    stream(START, { type: "progress", message: "working", code: 1 }, ...hello(0), ...END),
    "Hello | stop",
  ],
];

const item = { type: "message", id: "m", role: "assistant" };
const grown = { type: "response.output_text.delta", output_index: 1, item_id: "m", content_index: 0, delta: "Hello" };
const COMPLETED = { type: "response.completed", response: { id: "r", status: "completed", output: [] } };

const called = { type: "function_call", id: "f", call_id: "c", name: "read" };
const answered = (given: string): string =>
  stream(
    { type: "response.output_item.added", output_index: 0, item: { ...called, arguments: "" } },
    { type: "response.function_call_arguments.delta", output_index: 0, item_id: "f", delta: given },
    { type: "response.output_item.done", output_index: 0, item: { ...called, arguments: '{"path":"a"}' } },
    COMPLETED,
  );

export const RESPONSES_BEGINNING: string = stream({ ...grown, delta: "Hel" });
export const RESPONSES_ANSWERS: readonly OddAnswer[] = [
  ["types in the names of events", named([grown, COMPLETED]), "Hello | stop"],
  [
    "thinking under an older name",
    stream({ type: "response.reasoning.delta", output_index: 0, delta: "hm" }, grown, COMPLETED),
    "(hm) | Hello | stop",
  ],
  [
    "a text in place of parts",
    stream({ type: "response.output_item.done", output_index: 0, item: { ...item, content: "Hello" } }, COMPLETED),
    "Hello | stop",
  ],
  [
    "output_text alone",
    JSON.stringify({ object: "response", status: "completed", output: [], output_text: "Hello" }),
    "Hello | stop",
  ],
  ["arguments that are corrected", answered('{"path":"b'), `${CALL} | toolUse`],
  ["whole arguments that are corrected", answered('{"path":"b"}'), `${CALL} | toolUse`],
  [
    "response.error",
    stream(grown, { type: "response.error", error: { code: "rate_limit_exceeded", message: "boom" } }),
    "Hello | ! rate_limit: rate_limit_exceeded: boom",
  ],
];

const candidate = (content: unknown, more: Fields = { finishReason: "STOP" }): string =>
  stream({ candidates: [{ content, ...more }] });
const parts = (...list: unknown[]): Fields => ({ role: "model", parts: list });
const TEXT_PART = { text: "Hello" };
const functionCall = { name: "read", args: { path: "a" } };

export const GEMINI_BEGINNING: string = candidate(parts({ text: "Hel" }), {});
export const GEMINI_ANSWERS: readonly OddAnswer[] = [
  ["a reason in lower case", candidate(parts(TEXT_PART), { finishReason: "stop" }), "Hello | stop"],
  ["a reason of Chat Completions", candidate(parts(TEXT_PART), { finishReason: "length" }), "Hello | length"],
  ["its word for calls", candidate(parts({ functionCall }), { finishReason: "tool_calls" }), `${CALL} | toolUse`],
  ["a reason in snake case", candidate(parts(TEXT_PART), { finish_reason: "STOP" }), "Hello | stop"],
  [
    "a call in snake case",
    candidate(parts({ function_call: { ...functionCall, args: { path: "a", b_c: 1 } } })),
    'read {"path":"a","b_c":1} | toolUse',
  ],
  ["one part without a list", candidate({ parts: TEXT_PART }), "Hello | stop"],
  ["texts in place of parts", candidate(parts("Hel", "lo")), "Hello | stop"],
  ["a text in place of the content", candidate("Hello"), "Hello | stop"],
  ["an index as a text", candidate(parts(TEXT_PART), { index: "0", finishReason: "STOP" }), "Hello | stop"],
  [
    "arguments under the other name",
    candidate(parts({ functionCall: { name: "read", arguments: { path: "a" } } })),
    `${CALL} | toolUse`,
  ],
  [
    "a list with a chunk",
    `data: [${JSON.stringify({ candidates: [{ content: parts(TEXT_PART), finishReason: "STOP" }] })}]\n\n${DONE}`,
    "Hello | stop",
  ],
];
