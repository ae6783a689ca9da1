/** Whole answers of Bedrock: `Converse` returns the message that `ConverseStream` sends in pieces. */
import type { WireEvent } from "../../driver/index.js";
import { isRecord } from "../../utils/is-object.js";
import type { AwsEvent } from "../../wire/index.js";

type Fields = Record<string, unknown>;

/** Returns the events of the stream of an answer of `Converse`. */
export function readWholeConverse(answer: object): WireEvent[] | undefined {
  const { output, stopReason, additionalModelResponseFields, ...metadata }: Fields = { ...answer };
  const message = isRecord(output) ? output["message"] : undefined;
  const content: unknown = isRecord(message) ? message["content"] : undefined;
  if (!Array.isArray(content)) return undefined;
  return [
    ...content.flatMap((block, index) => (isRecord(block) ? readBlock(block, index) : [])),
    event("messageStop", { stopReason, additionalModelResponseFields }),
    event("metadata", metadata),
  ];
}

function readBlock(block: Fields, contentBlockIndex: number): AwsEvent[] {
  const { start, deltas } = partsOf(block);
  return [
    ...(start ? [event("contentBlockStart", { contentBlockIndex, start })] : []),
    ...deltas.map((delta) => event("contentBlockDelta", { contentBlockIndex, delta })),
    event("contentBlockStop", { contentBlockIndex }),
  ];
}

/** A block is a union: one key, which names its kind. Text and thinking have no start. */
function partsOf(block: Fields): { start?: Fields; deltas: Fields[] } {
  const { text, reasoningContent: reasoning, citationsContent: cited, toolUse, toolResult, image } = block;
  if (typeof text === "string") return { deltas: [{ text }] };
  if (isRecord(reasoning)) return { deltas: reasoningDeltas(reasoning) };
  if (isRecord(cited)) return { deltas: citedDeltas(cited) };
  if (isRecord(toolUse)) {
    const { input = {}, ...start } = toolUse;
    return { start: { toolUse: start }, deltas: [{ toolUse: { input: JSON.stringify(input) } }] };
  }
  if (isRecord(toolResult)) {
    const { content, ...start } = toolResult;
    return { start: { toolResult: start }, deltas: [{ toolResult: content }] };
  }
  if (isRecord(image)) {
    const { source, ...start } = image;
    return { start: { image: start }, deltas: [{ image: { source } }] };
  }
  return { start: block, deltas: [] };
}

function reasoningDeltas({ reasoningText, redactedContent }: Fields): Fields[] {
  if (!isRecord(reasoningText)) return [{ reasoningContent: { redactedContent } }];
  const { text, signature } = reasoningText;
  return [{ reasoningContent: { text } }, { reasoningContent: { signature } }];
}

/** A citation comes before the text that it supports. */
function citedDeltas({ content, citations }: Fields): Fields[] {
  const texts: unknown[] = Array.isArray(content) ? content : [];
  const sources: unknown[] = Array.isArray(citations) ? citations : [];
  return [
    ...sources.map((citation) => ({ citation })),
    ...texts.flatMap((part) => (isRecord(part) ? [{ text: part["text"] }] : [])),
  ];
}

function event(name: string, payload: Fields): AwsEvent {
  return { kind: "event", name, payload };
}
