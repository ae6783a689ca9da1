/** Drafts what a fork would send, and reads what the user has changed in the draft. */
import { redactCredentials } from "../record/credentials.js";
import type { Entry } from "../record/entry.js";
import { describeThrown, type Fields, fieldsOf, listOf, textOf, toJson } from "../record/fields.js";
import type { ModelName, Origin } from "../record/launcher.js";
import type { Run } from "../record/run.js";
import { blocksOf } from "../record/sections.js";

/** A message after the last response. The user can change its text. */
export interface DraftInput {
  /** Its index in the conversation. */
  message: number;
  role: string;
  /** The name of the tool for a result, else empty. */
  name: string;
  text: string;
  /** Present for the result of a tool. */
  isError?: boolean | undefined;
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
    inputs: before
      .slice(point.inputs)
      .map((message, index) => toInput(fieldsOf(message), point.inputs + index))
      // A note of the agent on its changes has no text to edit.
      .filter(({ role, text }) => role !== "system" || text !== ""),
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

/** A command that is refused. Its message is shown to the user. */
export class InvalidCommand extends Error {
  override readonly name = "InvalidCommand";
}

/** The settings of a fork, with the user's changes. */
export interface ForkChanges {
  model: ModelName;
  thinking: string;
  system: string;
  tools: Fields[];
  /** Whether every tool call waits for the user, even if its result was recorded. */
  step: boolean;
  /** The changed messages, by their indexes in the conversation. */
  inputs: Map<number, { text: string; isError: boolean }>;
}

export const THINKING_LEVELS: readonly string[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
const MAX_NAME = 500;

/**
 * Returns the original text if the user left it unchanged. The page shows texts with their credentials redacted, so an
 * unchanged text comes back redacted.
 *
 * @param shown the text that the page sends
 * @param sent the original text
 */
export function restore(shown: string, sent: string): string {
  return shown === redactCredentials(sent) ? sent : shown;
}

/**
 * @param draft the draft with its original texts, not redacted
 * @throws InvalidCommand with the reason if a field is not valid
 */
export function readChanges(body: unknown, draft: ForkDraft): ForkChanges {
  const fields = fieldsOf(body);
  const { thinking, system } = fields;
  if (typeof thinking !== "string" || !THINKING_LEVELS.includes(thinking))
    throw new InvalidCommand(`Thinking must be one of ${THINKING_LEVELS.join(", ")}`);
  if (typeof system !== "string") throw new InvalidCommand("The system prompt must be text");
  return {
    model: readModel(fieldsOf(fields["model"]), draft),
    thinking,
    system: restore(system, draft.system),
    tools: readTools(restore(textOf(fields["tools"]), draft.tools)),
    step: fields["step"] === true,
    inputs: readInputs(fields["inputs"], draft),
  };
}

function readModel(fields: Fields, { models, anyModel }: ForkDraft): ModelName {
  const [provider, id] = [textOf(fields["provider"]), textOf(fields["id"])];
  if (provider === "" || id === "" || provider.length > MAX_NAME || id.length > MAX_NAME)
    throw new InvalidCommand("The model must have a provider and an id");
  const isKnown = models.some((model) => model.provider === provider && model.id === id);
  if (!isKnown && !anyModel) throw new InvalidCommand(`The program does not offer the model ${provider}/${id}`);
  return { provider, id };
}

function readTools(value: string): Fields[] {
  const tools = parse(value);
  if (!Array.isArray(tools)) throw new InvalidCommand("The tools must be a JSON list");
  if (tools.length > MAX_TOOLS) throw new InvalidCommand(`A request has at most ${MAX_TOOLS} tools`);
  return tools.map((tool, index) => {
    const { name, description, parameters } = fieldsOf(tool);
    if (typeof name !== "string" || name === "" || name.length > MAX_NAME)
      throw new InvalidCommand(`Tool ${index + 1} has no name`);
    if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters))
      throw new InvalidCommand(`The parameters of tool ${index + 1} must be a JSON schema`);
    return { name, description: textOf(description), parameters };
  });
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new InvalidCommand(`The tools are not JSON: ${describeThrown(error)}`);
  }
}

function readInputs(value: unknown, draft: ForkDraft): ForkChanges["inputs"] {
  const known = new Map(draft.inputs.map((input) => [input.message, input.text]));
  const inputs: ForkChanges["inputs"] = new Map();
  for (const input of listOf(value)) {
    const { message, text, isError } = fieldsOf(input);
    const sent = typeof message === "number" ? known.get(message) : undefined;
    if (typeof message !== "number" || sent === undefined || typeof text !== "string")
      throw new InvalidCommand("The changes include a message that cannot be changed here");
    inputs.set(message, { text: restore(text, sent), isError: isError === true });
  }
  return inputs;
}

/** Applies the changes to the messages of the first request. Unchanged messages stay the same objects. */
export function applyInputs(messages: readonly unknown[], { inputs }: ForkChanges): unknown[] {
  return messages.map((message, index) => {
    const change = inputs.get(index);
    const fields = fieldsOf(message);
    const isResult = fields["role"] === "toolResult";
    const sameFlag = !isResult || (fields["isError"] === true) === change?.isError;
    if (!change || (change.text === textOfMessage(fields) && sameFlag)) return message;
    const others = blocksOf(fields).filter((block) => block["type"] !== "text");
    const content = [{ type: "text", text: change.text }, ...others];
    return { ...fields, content, ...(isResult && { isError: change.isError }) };
  });
}
