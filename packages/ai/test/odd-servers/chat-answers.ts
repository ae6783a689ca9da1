/** Answers of servers of Chat Completions. */
import { CALL, DONE, type OddAnswer, stream } from "./odd-answer.js";

type Fields = Readonly<Record<string, unknown>>;

const choice = (fields: Fields): object => ({ id: "c", object: "chat.completion.chunk", choices: [fields] });
const delta = (fields: Fields): object => choice({ index: 0, delta: fields, finish_reason: null });
const end = (reason = "stop"): object => choice({ index: 0, delta: {}, finish_reason: reason });
const calls = (...list: unknown[]): string => stream(delta({ tool_calls: list }), end("tool_calls"), DONE);
const says = (fields: Fields): string => stream(delta(fields), end(), DONE);
const hello = (first: object): string => stream(first, delta({ content: "lo" }), end(), DONE);
const part = (name: unknown, args: unknown): object => ({ name, arguments: args });
const PATH = '{"path":"a"}';
const two = `${CALL} | read {"path":"b"} | toolUse`;

export const CHAT_BEGINNING: string = stream(delta({ content: "Hel" }));
export const CHAT_ANSWERS: readonly OddAnswer[] = [
  [
    "an index of null",
    stream(
      delta({ tool_calls: [{ index: null, id: "a", function: part("read", '{"pa') }] }),
      delta({ tool_calls: [{ index: null, function: { arguments: 'th":"a"}' } }] }),
      end("tool_calls"),
      DONE,
    ),
    `${CALL} | toolUse`,
  ],
  [
    "calls without index and id",
    calls({ function: part("read", PATH) }, { function: part("read", '{"path":"b"}') }),
    two,
  ],
  ["arguments as an object", calls({ index: 0, id: "a", function: part("read", { path: "a" }) }), `${CALL} | toolUse`],
  [
    "arguments as JSON in JSON",
    calls({ index: 0, id: "a", function: part("read", JSON.stringify(PATH)) }),
    `${CALL} | toolUse`,
  ],
  ["a call without function", calls({ index: 0, id: "a", ...part("read", PATH) }), `${CALL} | toolUse`],
  [
    "one call in place of a list",
    stream(delta({ tool_calls: { index: 0, id: "a", function: part("read", PATH) } }), end("tool_calls"), DONE),
    `${CALL} | toolUse`,
  ],
  [
    "a call under both names",
    stream(
      delta({ content: "Hello" }),
      delta({ tool_calls: [{ index: 0, id: "a", function: part("read", PATH) }], function_call: part("read", PATH) }),
      end("tool_calls"),
      DONE,
    ),
    `Hello | ${CALL} | toolUse`,
  ],
  [
    "a name in pieces",
    stream(
      delta({ tool_calls: [{ index: 0, id: "a", function: part("r", "") }] }),
      delta({ tool_calls: [{ index: 0, function: { name: "ea" } }] }),
      delta({ tool_calls: [{ index: 0, id: "a", function: { name: "d" } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: PATH } }] }),
      end("tool_calls"),
      DONE,
    ),
    `${CALL} | toolUse`,
  ],
  ...(["a", undefined] as const).map(
    (id): OddAnswer => [
      `arguments that go on at another index, with the id ${id}`,
      stream(
        delta({ tool_calls: [{ index: 0, id: "a", function: part("read", '{"pa') }] }),
        delta({ tool_calls: [{ index: 1, id, function: { arguments: 'th":' } }] }),
        delta({ tool_calls: [{ index: 1, function: { arguments: '"a"}' } }] }),
        end("tool_calls"),
        DONE,
      ),
      `${CALL} | toolUse`,
    ],
  ),
  ...["{}", PATH, '{}{"path":"a"}'].map(
    (first): OddAnswer => [
      `the arguments ${first} before the whole ones`,
      stream(
        delta({ tool_calls: [{ index: 0, id: "a", function: part("read", first) }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: PATH } }] }),
        end("tool_calls"),
        DONE,
      ),
      `${CALL} | toolUse`,
    ],
  ),
  ["a part of output_text", says({ content: [{ type: "output_text", text: "Hello" }] }), "Hello | stop"],
  ["texts in place of parts", says({ content: ["Hel", "lo"] }), "Hello | stop"],
  ["a part without a type", says({ content: [{ text: "Hello" }] }), "Hello | stop"],
  ["one part in place of a list", says({ content: { type: "text", text: "Hello" } }), "Hello | stop"],
  [
    "thinking as a part",
    says({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
        { type: "text", text: "Hello" },
      ],
    }),
    "(hm) | Hello | stop",
  ],
  ["reasoning as a part", says({ content: [{ type: "reasoning", text: "hm" }, "Hello"] }), "(hm) | Hello | stop"],
  ["thinking", says({ thinking: "hm", content: "Hello" }), "(hm) | Hello | stop"],
  ["thoughts", says({ thoughts: "hm", content: "Hello" }), "(hm) | Hello | stop"],
  ["reasoning as an object", says({ reasoning: { content: "hm" }, content: "Hello" }), "(hm) | Hello | stop"],
  [
    "reasoning_content as parts",
    says({ reasoning_content: [{ type: "text", text: "hm" }], content: "Hello" }),
    "(hm) | Hello | stop",
  ],
  [
    "thinking under two names",
    says({ reasoning: "hm", reasoning_content: "hm", content: "Hello" }),
    "(hm) | Hello | stop",
  ],
  ["messages in place of deltas", hello(choice({ index: 0, message: { content: "Hel" } })), "Hello | stop"],
  [
    "messages only",
    stream(
      choice({ index: 0, message: { content: "Hel" } }),
      choice({ index: 0, message: { content: "lo" }, finish_reason: "stop" }),
      DONE,
    ),
    "Hello | stop",
  ],
  [
    "a message after the deltas",
    stream(
      delta({ content: "Hello" }),
      choice({ index: 0, message: { content: "Hello" }, finish_reason: "stop" }),
      DONE,
    ),
    "Hello | stop",
  ],
  [
    "texts of the older api",
    stream(choice({ index: 0, text: "Hel" }), choice({ index: 0, text: "lo", finish_reason: "stop" }), DONE),
    "Hello | stop",
  ],
  [
    "the older api without a stream",
    JSON.stringify({ id: "c", choices: [{ index: 0, text: "Hello", finish_reason: "stop" }] }),
    "Hello | stop",
  ],
  ["an index of a choice as a text", hello(choice({ index: "0", delta: { content: "Hel" } })), "Hello | stop"],
  [
    "several chunks in a list",
    `data: [${JSON.stringify(delta({ content: "Hello" }))}]\n\n${stream(end(), DONE)}`,
    "Hello | stop",
  ],
  ["one line feed after each event", hello(delta({ content: "Hel" })).replaceAll("\n\n", "\n"), "Hello | stop"],
  [
    "the name of the field twice",
    hello(delta({ content: "Hel" })).replaceAll("data: ", "data: data: "),
    "Hello | stop",
  ],
  ...["ping", ": keep-alive", "OK", "heartbeat"].map(
    (text): OddAnswer => [
      `a sign of life that is no JSON: ${text}`,
      `data: ${text}\n\n${hello(delta({ content: "Hel" })).replace("\n\n", `\n\ndata: ${text}\n\n`)}`,
      "Hello | stop",
    ],
  ),
  ["a ping of another text", `event: ping\ndata: 2026-11-30 16:00:00\n\n${says({ content: "Hello" })}`, "Hello | stop"],
  [
    "lines of JSON",
    [delta({ content: "Hel" }), delta({ content: "lo" }), end()].map((event) => JSON.stringify(event)).join("\n"),
    "Hello | stop",
  ],
  [
    "what says how far the request is",
    stream(
      { status: "queued", message: "3 before you" },
      { code: 0, message: "ok" },
      delta({ content: "Hello" }),
      end(),
      DONE,
    ),
    "Hello | stop",
  ],
  ["a body with a code and a msg", '{"code":401,"msg":"boom"}', "! auth: boom"],
  ["a body with an error_msg", '{"error_msg":"boom","error_code":17}', "! server: boom"],
];
