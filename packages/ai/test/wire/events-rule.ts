/** Rule "events": the order of events, and their agreement with the final message. */
import { isDeepStrictEqual } from "node:util";
import type { AssistantMessage, ToolCall } from "pi-ai";
import type { Observation, SeenEvent } from "../support/observe.js";
import type { Allowed } from "./allowed.js";
import { type Case, isRecord, show, showDifference } from "./judgement.js";

type Block = AssistantMessage["content"][number];
type BlockType = Block["type"];

/** What the events contained of one block. */
interface Told {
  type: BlockType;
  deltas: string[];
  end?: SeenEvent;
}

const BLOCK_TYPES: Readonly<Record<string, BlockType>> = {
  text: "text",
  thinking: "thinking",
  toolcall: "toolCall",
  servertool: "serverTool",
};
const DONE_REASONS = ["stop", "length", "toolUse", "pause"];
const ERROR_REASONS = ["error", "aborted"];

export function faultOfEvents({ seen, allowed }: Case): string | undefined {
  if (seen.iteration === "call threw" || seen.iteration === "threw")
    return `the ${seen.iteration === "threw" ? "iteration" : "call"} threw ${show(seen.thrown)}`;
  const frame = checkFrame(seen);
  if (frame) return frame;
  const told = new Map<number, Told>();
  for (const event of seen.events.slice(0, -1)) {
    if (event.type === "start") continue;
    const problem = event.whole || event.type === "citation" ? tellAlone(told, event) : tell(told, event);
    if (problem) return problem;
  }
  return checkAgainstMessage(told, seen, allowed);
}

/** `start` first, one terminal event last. */
function checkFrame({ events }: Observation): string | undefined {
  const terminal = events.findIndex((event) => event.type === "done" || event.type === "error");
  const last = events.at(-1);
  if (!last || terminal === -1) return `no terminal event among ${events.length}`;
  if (terminal !== events.length - 1) return `${events.length - 1 - terminal} events after the terminal one`;
  const reasons = last.type === "done" ? DONE_REASONS : ERROR_REASONS;
  if (!reasons.includes(String(last.reason))) return `${last.type} with reason ${show(last.reason)}`;
  if (last.message?.stopReason !== last.reason)
    return `reason ${show(last.reason)} but stopReason ${show(last.message?.stopReason)}`;
  const starts = events.filter((event) => event.type === "start").length;
  const isLoneError = last.type === "error" && events.length === 1;
  if (!isLoneError && (starts !== 1 || events[0]?.type !== "start"))
    return `${starts} start events, and the first event is ${events[0]?.type}`;
  return undefined;
}

function tell(told: Map<number, Told>, event: SeenEvent): string | undefined {
  const [, kind = "", step] = /^(text|thinking|toolcall|servertool)_(start|delta|update|end)$/.exec(event.type) ?? [];
  const type = BLOCK_TYPES[kind];
  const { contentIndex = -1 } = event;
  if (!type) return `unknown event ${event.type}`;
  if (!Number.isInteger(contentIndex) || contentIndex < 0) return `${event.type} at ${event.contentIndex}`;
  const block = told.get(contentIndex);
  if (step === "start") {
    if (block) return `block ${contentIndex} started twice`;
    told.set(contentIndex, { type, deltas: [] });
    return undefined;
  }
  if (block?.type !== type) return `${event.type} at ${contentIndex}, which is ${block?.type ?? "not started"}`;
  if (block.end) return `${event.type} at ${contentIndex} after its end`;
  if (step === "end") block.end = event;
  else if (step === "update") return undefined;
  else if (typeof event.delta === "string") block.deltas.push(event.delta);
  else return `${event.type} at ${contentIndex} with delta ${show(event.delta)}`;
  return undefined;
}

/** An event that is the only one of its block, or that belongs to a text that may have ended. */
function tellAlone(told: Map<number, Told>, event: SeenEvent): string | undefined {
  const { contentIndex = -1, whole } = event;
  const before = told.get(contentIndex)?.type;
  if (!whole) return before === "text" ? undefined : `a citation of block ${contentIndex}, which is ${before}`;
  if (before) return `${event.type} at ${contentIndex}, which is ${before}`;
  told.set(contentIndex, { type: whole, deltas: [], end: event });
  return undefined;
}

function checkAgainstMessage(
  told: ReadonlyMap<number, Told>,
  { message }: Observation,
  allowed: Allowed | undefined,
): string | undefined {
  const content = message?.content ?? [];
  const silent = content.findIndex((_, index) => !told.has(index));
  if (silent !== -1) return `content[${silent}] (${content[silent]?.type}) came without events`;
  for (const [index, block] of told) {
    const final = content[index];
    if (final?.type !== block.type)
      return `block ${index} was ${block.type} and is ${final?.type ?? "missing"} at last`;
    if (!block.end) return `block ${index} (${block.type}) has no end`;
    const problem = checkBlock(block, final, allowed);
    if (problem) return `block ${index} (${block.type}): ${problem}`;
  }
  return undefined;
}

function checkBlock({ deltas, end }: Told, final: Block, allowed: Allowed | undefined): string | undefined {
  const joined = deltas.join("");
  if (final.type === "toolCall") return checkCall(joined, end?.toolCall, final, allowed);
  if (final.type !== "text" && final.type !== "thinking") return undefined;
  const text = final.type === "text" ? final.text : final.thinking;
  if (end?.content !== text) return `content of the end event, ${showDifference(String(end?.content), text)}`;
  if (final.type === "thinking" && final.redacted) return undefined;
  return joined === text ? undefined : `joined deltas, ${showDifference(joined, text)}`;
}

function checkCall(
  joined: string,
  atEnd: ToolCall | undefined,
  final: ToolCall,
  allowed: Allowed | undefined,
): string | undefined {
  const { id, name, arguments: args } = final;
  const { id: endId, name: endName, arguments: endArgs } = atEnd ?? {};
  if (!isDeepStrictEqual({ id: endId, name: endName, args: endArgs }, { id, name, args }))
    return `the end event shows ${show(atEnd)}, the message ${show(final)}`;
  const wireCalls = allowed?.calls.filter((call) => call.name === name) ?? [];
  if (final.argumentsError || wireCalls.some((call) => !call.isJson)) return undefined;
  if (joined.trim() === "") {
    const hadDeltas = Object.keys(args).length > 0 && wireCalls.some((call) => call.raw);
    return hadDeltas ? `no delta, but arguments ${show(args)}` : undefined;
  }
  return checkJoined(joined, args);
}

function checkJoined(joined: string, args: unknown): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(joined);
  } catch {
    return `the joined deltas are no JSON: ${show(joined)}`;
  }
  if (!isRecord(value) || isDeepStrictEqual(value, args)) return undefined;
  return `the joined deltas say ${show(value)}, the arguments are ${show(args)}`;
}
