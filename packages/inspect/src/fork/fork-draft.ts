/** Drafts a fork: what it would send, for the user to change on the page. */
import { redactCredentials } from "../record/credentials.js";
import type { Entry } from "../record/entry.js";
import { type Fields, fieldsOf, listOf, textOf, toJson } from "../record/fields.js";
import type { ModelName, Origin } from "../record/launcher.js";
import { blocksOf } from "../record/message-sections.js";
import type { Run } from "../record/run.js";

/** A message after the last response. The user can change its text. */
export interface DraftInput {
  /** Its index in the conversation. */
  message: number;
  role: string;
  /** The name of the tool for a result, else empty. */
  name: string;
  text: string;
  /** Present for the result of a tool. */
  isError?: boolean;
  /** The number of images and other blocks, which cannot be changed. */
  otherBlocks: number;
}

export interface ForkDraft {
  /** The index of the entry at which the fork was requested. */
  entry: number;
  /** The number of messages before the inputs, which cannot be changed. */
  kept: number;
  inputs: DraftInput[];
  /** The tool names of the last response's calls that have no result. */
  pending: string[];
  model: ModelName;
  /** The models that the user can choose, including `model`. */
  models: ModelName[];
  /** Whether the user can also enter any other model. */
  anyModel: boolean;
  thinking: string;
  system: string;
  /** The tools as JSON. */
  tools: string;
  /** Whether the tools were derived from the tool calls, because the source does not contain the tools. */
  toolsAreDerived: boolean;
  /** Where requests are sent, as the end of a sentence that begins with "Requests go". */
  target: string;
}

/** Where a fork begins in the conversation. */
export interface ForkPoint {
  /** The number of messages that the first request sends. */
  length: number;
  /** The index of the first of these messages after the last response, that is, the first one that can be changed. */
  inputs: number;
}

const FORKABLE: ReadonlySet<unknown> = new Set<Entry["kind"]>(["message", "request", "tool"]);

/**
 * Finds where a fork at an entry begins: at the next request at or after the entry. A fork at a request sends that
 * request again. A fork at a message or a tool call begins with the request that follows, which includes the other
 * results of the same response.
 */
export function findForkPoint(run: Run, entry: number): ForkPoint | undefined {
  const position = run.positionOf(entry);
  if (!run.origin || position === undefined || !FORKABLE.has(run.entries[entry]?.kind)) return undefined;
  const { messages } = run.origin;
  const isResponse = (index: number): boolean => fieldsOf(messages[index])["role"] === "assistant";
  let length = position;
  while (length < messages.length && !isResponse(length)) length++;
  let inputs = length;
  while (inputs > 0 && !isResponse(inputs - 1)) inputs--;
  return { length, inputs };
}

/** Replaces everything in the texts of a draft that looks like a credential, before the page shows it. */
export function redactDraft(draft: ForkDraft): ForkDraft {
  const inputs = draft.inputs.map((input) => ({ ...input, text: redactCredentials(input.text) }));
  return { ...draft, inputs, system: redactCredentials(draft.system), tools: redactCredentials(draft.tools) };
}

/** Drafts a fork at an entry, with the original texts. Undefined if the run cannot be forked there. */
export function draftFork(run: Run, entry: number): ForkDraft | undefined {
  const point = findForkPoint(run, entry);
  const { origin, launcher } = run;
  if (!point || !origin || !launcher) return undefined;
  const before = origin.messages.slice(0, point.length);
  const model = modelOf(origin, before);
  return {
    entry,
    kept: point.inputs,
    inputs: before.slice(point.inputs).map((message, index) => toInput(fieldsOf(message), point.inputs + index)),
    pending: callsWithoutResult(before).map((call) => textOf(call["name"])),
    model,
    models: uniqueModels([model, ...launcher.models]),
    anyModel: launcher.anyModel,
    thinking: textOf(origin.thinking) || "off",
    system: textOf(origin.system),
    tools: toJson(origin.tools ?? toolsOfCalls(origin.messages), 2),
    toolsAreDerived: origin.tools === undefined,
    target: launcher.target,
  };
}

/** The tool calls at the end of a conversation that have no result. */
export function callsWithoutResult(messages: readonly unknown[]): Fields[] {
  let index = messages.length - 1;
  const done = new Set<unknown>();
  while (index >= 0 && fieldsOf(messages[index])["role"] !== "assistant") {
    done.add(fieldsOf(messages[index])["toolCallId"]);
    index--;
  }
  const response = fieldsOf(messages[index]);
  return blocksOf(response).filter((block) => block["type"] === "toolCall" && !done.has(block["id"]));
}

/** The text blocks of a message, joined with line breaks. */
export function textOfMessage(message: Fields): string {
  const blocks = blocksOf(message).filter((block) => block["type"] === "text");
  return blocks.map((block) => textOf(block["text"])).join("\n");
}

function toInput(message: Fields, index: number): DraftInput {
  const otherBlocks = blocksOf(message).filter((block) => block["type"] !== "text").length;
  const role = textOf(message["role"]);
  const input = { message: index, role, name: textOf(message["toolName"]), text: textOfMessage(message), otherBlocks };
  return role === "toolResult" ? { ...input, isError: message["isError"] === true } : input;
}

/** The model of the agent if it is known, else that of the last response before the fork or the first one after it. */
function modelOf({ model, messages }: Origin, before: readonly unknown[]): ModelName {
  const own = fieldsOf(model);
  if (textOf(own["id"])) return { provider: textOf(own["provider"]), id: textOf(own["id"]) };
  const hasModel = (message: unknown): boolean => textOf(fieldsOf(message)["model"]) !== "";
  const response = fieldsOf(before.findLast(hasModel) ?? listOf(messages).find(hasModel));
  return { provider: textOf(response["provider"]), id: textOf(response["model"]) };
}

function uniqueModels(models: readonly ModelName[]): ModelName[] {
  const known = new Map(models.map(({ provider, id }) => [`${provider}/${id}`, { provider, id }]));
  return [...known.values()];
}

// Derives tools from the tool calls of a conversation, for sources that do not contain the tools themselves.

const MAX_TOOLS = 200;
const MAX_PARAMETERS = 100;

/** Returns each tool that was called, with the parameters that its calls used. Descriptions are not known. */
function toolsOfCalls(messages: readonly unknown[]): Fields[] {
  const tools = new Map<string, Map<string, Fields>>();
  const calls = messages.flatMap((message) => {
    const fields = fieldsOf(message);
    return fields["role"] === "assistant" ? blocksOf(fields).filter((block) => block["type"] === "toolCall") : [];
  });
  for (const call of calls) {
    const name = textOf(call["name"]);
    if (name === "" || (tools.size === MAX_TOOLS && !tools.has(name))) continue;
    const known = tools.get(name) ?? new Map<string, Fields>();
    tools.set(name, known);
    for (const [parameter, value] of Object.entries(fieldsOf(call["arguments"])))
      if (known.size < MAX_PARAMETERS) known.set(parameter, schemaOf(value));
  }
  return [...tools].map(([name, parameters]) => ({
    name,
    description: name,
    parameters: { type: "object", properties: Object.fromEntries(parameters) },
  }));
}

function schemaOf(value: unknown): Fields {
  if (Array.isArray(value)) return { type: "array" };
  if (value === null) return {};
  return { type: typeof value };
}
