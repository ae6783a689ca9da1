/** Conversations as programs have them: turns of every vendor's models, tools of MCP servers, pictures, files. */
import type {
  AssistantMessage,
  Context,
  Message,
  Model,
  SimpleStreamOptions,
  Tool,
  ToolResultMessage,
  UserBlock,
} from "pi-ai";
import { user } from "../handoff/conversations.js";
import { PARTIES } from "../handoff/parties.js";
import { createTurns } from "../handoff/turns.internal.js";
import { needsResult } from "../support/needs-result.js";
import type { Kinds } from "./kinds.js";
import { Random } from "./random.js";
import { randomTools } from "./random-tools.js";
import { bmp, gif, jpeg, json, PDF, png, SVG, webp } from "./samples.js";

/** Every turn of every api. Each has ids of its own, so a conversation uses it once. */
const TURNS: readonly AssistantMessage[] = PARTIES.flatMap((party) =>
  Object.values(createTurns(party, party.model.api)).filter((turn) => turn !== undefined),
);

export interface RandomRequest {
  context: Context;
  options: SimpleStreamOptions;
}

export function randomRequest(seed: number, model: Model, kinds: Kinds): RandomRequest {
  const random = new Random(seed);
  const tools = randomTools(random, kinds);
  const names = tools.map(({ name }) => name);
  const messages: Message[] = [];
  const turns = someTurns(random)
    .slice(0, random.below(4))
    .filter((turn) => kinds.has("waitingTools") || !isWaiting(turn));
  if (!(kinds.has("oddEnds") && random.chance(0.05))) messages.push(userMessage(random, kinds));
  for (const [index, turn] of turns.entries()) {
    const response = ownTurn(random, { turn, index, model, kinds, names });
    messages.push(response, ...resultsOf(random, kinds, response));
    if (kinds.has("orphanResults") && random.chance(0.03)) messages.push(orphan(random, kinds));
    if (random.chance(0.6) || !messages.at(-1)?.role.startsWith("tool")) messages.push(userMessage(random, kinds));
  }
  if (kinds.has("oddEnds") && random.chance(0.05)) messages.pop();
  messages.unshift(...manyPictures(random, kinds));
  leaveOut(kinds, messages, tools);
  const systemPrompt = random.pick([undefined, "You help.", kinds.has("emptyTexts") ? " " : "You read."]);
  const context = {
    messages,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(tools.length > 0 ? { tools } : {}),
  };
  return { context, options: kinds.has("options") ? randomOptions(random, tools.length) : {} };
}

/** The call that a result without a call names. */
const NO_CALL = "no_such_call";

const READ: Tool = { name: "read", description: "Reads", parameters: { type: "object", properties: {} } };

function isSaid({ role, content }: Message): boolean {
  if (role !== "user") return false;
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return blocks.some((each) => each.type === "text" && each.text.trim() !== "");
}

/** Takes out what the kinds that are off would bring in. */
function leaveOut(kinds: Kinds, messages: Message[], tools: Tool[]): void {
  // A context without messages is sent as it is, because `onPayload` may fill it.
  const isEmpty = messages.length === 0 || (!kinds.has("emptyRequests") && !messages.some(isSaid));
  if (isEmpty) messages.push(user("Hello"));
  if (!kinds.has("callsWithoutTools") && tools.length === 0) tools.push(READ);
  if (!kinds.has("manyFiles")) keepFiles(messages, 5);
}

/** Replaces all files but the first ones with texts. */
function keepFiles(messages: Message[], most: number): void {
  let count = 0;
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant" || message.role === "system" || typeof message.content === "string") continue;
    const content = message.content.map((block) =>
      block.type === "file" && ++count > most ? { type: "text" as const, text: "A file" } : block,
    );
    messages[index] = { ...message, content };
  }
}

function isWaiting({ content }: AssistantMessage): boolean {
  return content.some((block) => block.type === "serverTool" && needsResult(block));
}

function someTurns(random: Random): AssistantMessage[] {
  const chosen = new Set(Array.from({ length: 4 }, () => random.pick(TURNS)));
  return [...chosen];
}

function randomOptions(random: Random, tools: number): SimpleStreamOptions {
  return {
    ...random.pick<SimpleStreamOptions>([{}, { reasoning: "high" }, { reasoning: "low" }, { cacheRetention: "long" }]),
    ...(random.chance(0.1) ? { temperature: 0.3 } : {}),
    ...(tools > 0 && random.chance(0.1) ? { toolChoice: "required" as const } : {}),
    ...(random.chance(0.2) ? { sessionId: `session-${"x".repeat(random.below(100))}` } : {}),
  };
}

interface Turn {
  turn: AssistantMessage;
  index: number;
  model: Model;
  kinds: Kinds;
  names: readonly string[];
}

/** A turn of another vendor as it is, or one that says and calls something of its own. */
function ownTurn(random: Random, { turn, index, model, kinds, names }: Turn): AssistantMessage {
  if (kinds.has("foreignTurns") && random.chance(0.5)) return turn;
  if (kinds.has("thinkingOnly") && random.chance(0.1)) return thought(random, { turn, model });
  const { api, provider, id } = random.chance(0.7)
    ? { api: model.api, provider: model.provider, id: model.id }
    : writerOf(turn);
  const calls = random.list(3, (place) => ({
    type: "toolCall" as const,
    id: callId(random, kinds, `${index}_${place}`),
    name: callName(random, kinds, names),
    arguments: random.pick([{}, { path: "a" }, { query: words(random, kinds), deep: { a: [1, null] } }]),
  }));
  const text = { type: "text" as const, text: words(random, kinds) };
  const content = calls.length === 0 || random.chance(0.5) ? [text, ...calls] : calls;
  const { usage, timestamp } = turn;
  return {
    role: "assistant",
    content,
    api,
    provider,
    model: id,
    usage,
    stopReason: calls.length > 0 ? "toolUse" : "stop",
    timestamp,
  };
}

/** What the output limit leaves of an answer that has not begun. */
function thought(random: Random, { turn, model }: Pick<Turn, "turn" | "model">): AssistantMessage {
  const { api, provider, id } = random.chance(0.7) ? model : writerOf(turn);
  const thinkingSignature = random.pick([undefined, "c2lnbmVk", "reasoning_content"]);
  const redacted = random.chance(0.1) ? { redacted: true } : {};
  const block = { type: "thinking" as const, thinking: random.pick(["I think", "", " "]), ...redacted };
  const content = [thinkingSignature === undefined ? block : { ...block, thinkingSignature }];
  const { usage, timestamp } = turn;
  return { role: "assistant", content, api, provider, model: id, usage, stopReason: "length", timestamp };
}

function writerOf({ api, provider, model: id }: AssistantMessage): { api: string; provider: string; id: string } {
  return { api, provider, id };
}

function callId(random: Random, kinds: Kinds, place: string): string {
  const odd = [
    `functions.read:${place}`,
    `call|${place}`,
    `${"x".repeat(90)}${place}`,
    `a+b/${place}=`,
    `\ud83d${place}`,
  ];
  if (kinds.has("sameIds") && random.chance(0.1)) return random.pick(["", " ", "call_1", "|fc_1", "call_1|fc_1"]);
  return kinds.has("oddIds") && random.chance(0.2)
    ? random.pick(odd)
    : random.pick([`call_${place}`, `toolu_${place}`]);
}

const ODD_CALLS = [
  "multi_tool_use.parallel",
  "$lookup",
  "",
  "功能",
  "x".repeat(300),
  'read" path="a',
  "a\ud83d",
  "__proto__",
  "1st",
];

function callName(random: Random, kinds: Kinds, names: readonly string[]): string {
  if (kinds.has("callNames") && random.chance(0.3)) return random.pick(ODD_CALLS);
  return names.length > 0 && random.chance(0.7) ? random.pick(names) : "tool_of_before";
}

function words(random: Random, kinds: Kinds): string {
  const long = random.chance(0.02) ? "All work and no play. ".repeat(2000) : "";
  const empty = kinds.has("emptyTexts") && random.chance(0.1) ? random.pick(["", " ", "\n\t"]) : undefined;
  const half = kinds.has("halfPairsInMessages") && random.chance(0.05) ? "\udc00" : "";
  return empty ?? random.pick(["Hello", "Was ist 功能? 🙂", "a\u0000b", "ends with space "]) + long + half;
}

function userMessage(random: Random, kinds: Kinds): Message {
  if (random.chance(0.3)) return user(words(random, kinds));
  const first: UserBlock = { type: "text", text: words(random, kinds) };
  return user([first, ...random.list(2, () => block(random, kinds))]);
}

function block(random: Random, kinds: Kinds): UserBlock {
  if (kinds.has("untypedFiles") && random.chance(0.15)) return untypedFile(random);
  if (kinds.has("pictures") && random.chance(0.5)) return { type: "image", ...picture(random, kinds) };
  if (kinds.has("files") && random.chance(0.5)) return { type: "file", ...file(random) };
  return { type: "text", text: words(random, kinds) };
}

function picture(random: Random, kinds: Kinds): { data: string; mimeType: string } {
  const side = random.pick([1, 40, 1900, 2400, 9000]);
  const [data, mimeType] = random.pick<[string, string]>([
    [png(side, 40), "image/png"],
    [jpeg(40, side), "image/jpeg"],
    [gif(side, side), "image/gif"],
    [webp(40, 40), "image/webp"],
    [png(40, 40), "image/jpeg"],
    [jpeg(40, 40), "image/jpg"],
    [png(40, 40), "application/octet-stream"],
    [png(40, 40), "image/*"],
    [bmp(), "image/bmp"],
    [SVG, "image/svg+xml"],
    ["", "image/png"],
    [kinds.has("noPictures") ? json("There is no picture here.") : png(1, 1), "image/png"],
  ]);
  return { data, mimeType };
}

function file(random: Random): { data: string; mimeType: string; name?: string } {
  const [data, mimeType] = random.pick<[string, string]>([
    [PDF, "application/pdf"],
    [json("# Title"), "text/markdown"],
    [json("a,b\n1,2"), "text/csv"],
  ]);
  const name = random.pick([undefined, "report.pdf", "John's report #1.pdf", "分基 報告.pdf", "a  b", "x".repeat(300)]);
  return { data, mimeType, ...(name === undefined ? {} : { name }) };
}

const NO_TYPES: readonly unknown[] = [
  ...[
    "application/octet-stream",
    "",
    "*/*",
    "pdf",
    "audio/*",
    "text/plain",
    "application/pdf",
    "image/png",
    "audio/wav",
  ],
  ...[
    "APPLICATION/PDF; a=b",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    undefined,
    null,
  ],
];

function untypedFile(random: Random): UserBlock {
  const data = random.pick([
    ...[
      PDF,
      png(40, 40),
      jpeg(40, 40),
      json("A text that is longer than a header."),
      json("\0\x01\x02 no text at all"),
      "",
    ],
    ...[
      json("RIFF0000WAVEfmt 0000"),
      json("ID3\x03\0 a song without words"),
      SVG,
      json("PK\x03\x04 a document of an office"),
    ],
  ]);
  const written = random.pick<(data: string) => string>([
    (text) => text,
    (text) => `data:application/x-any;base64,${text}`,
    (text) => text.replaceAll(/.{20}/g, "$&\r\n"),
    (text) => text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
    (text) => `\n${text} `,
  ])(data);
  const type = random.pick(["file", "file", "image"]);
  return { type, data: written, mimeType: random.pick(NO_TYPES) } as UserBlock; // As another library writes it.
}

function resultsOf(random: Random, kinds: Kinds, { content }: AssistantMessage): ToolResultMessage[] {
  return content
    .filter(needsResult)
    .flatMap(({ id, name }, index) => (random.chance(0.05) ? [] : [result(random, kinds, { id, name, index })]));
}

function result(
  random: Random,
  kinds: Kinds,
  { id, name, index }: { id: string; name: string; index: number },
): ToolResultMessage {
  const content: UserBlock[] = random.chance(0.1) && kinds.has("emptyTexts") ? [] : [block(random, kinds)];
  return { role: "toolResult", toolCallId: id, toolName: name, content, isError: random.chance(0.2), timestamp: index };
}

function orphan(random: Random, kinds: Kinds): ToolResultMessage {
  return result(random, kinds, { id: NO_CALL, name: "read", index: 0 });
}

/** Sometimes a prompt with a burst of small pictures. */
function manyPictures(random: Random, kinds: Kinds): Message[] {
  if (!kinds.has("manyPictures") || !random.chance(0.03)) return [];
  const pictures = Array.from({ length: random.pick([6, 9, 21, 120]) }, (_, index): UserBlock => {
    return { type: "image", data: png(index + 1, 7), mimeType: "image/png" };
  });
  return [user([{ type: "text", text: "Look" }, ...pictures])];
}
