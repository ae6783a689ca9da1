/** Reads the changes that a page sends. Each field is checked: the body of a request can hold anything. */
import { type Fields, fieldsOf, listOf, textOf } from "../record/fields.js";
import type { ModelName } from "../record/launcher.js";
import { blocksOf } from "../record/message-sections.js";
import type { ForkDraft } from "./fork-draft.js";
import { textOfMessage } from "./fork-draft.js";

/** A request of the page that makes no sense. Its text is for the user. */
export class InvalidCommand extends Error {
  override readonly name = "InvalidCommand";
}

/** What a fork sends in place of what the draft holds. */
export interface ForkChanges {
  model: ModelName;
  thinking: string;
  system: string;
  tools: Fields[];
  /** Whether each tool call waits for the user, also where the recording holds a result. */
  step: boolean;
  inputs: Map<number, { text: string; isError: boolean }>;
}

export const THINKING_LEVELS: readonly string[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
const MAX_TOOLS = 200;
const MAX_NAME = 500;

/** @throws InvalidCommand that names the field */
export function readChanges(body: unknown, draft: ForkDraft): ForkChanges {
  const fields = fieldsOf(body);
  const { thinking, system } = fields;
  if (typeof thinking !== "string" || !THINKING_LEVELS.includes(thinking))
    throw new InvalidCommand(`Thinking must be one of ${THINKING_LEVELS.join(", ")}`);
  if (typeof system !== "string") throw new InvalidCommand("The system prompt must be a text");
  return {
    model: readModel(fieldsOf(fields["model"]), draft),
    thinking,
    system,
    tools: readTools(fields["tools"]),
    step: fields["step"] === true,
    inputs: readInputs(fields["inputs"], draft),
  };
}

function readModel(fields: Fields, { models, anyModel }: ForkDraft): ModelName {
  const [provider, id] = [textOf(fields["provider"]), textOf(fields["id"])];
  if (provider === "" || id === "" || provider.length > MAX_NAME || id.length > MAX_NAME)
    throw new InvalidCommand("The model must have a provider and an id");
  const isKnown = models.some((model) => model.provider === provider && model.id === id);
  if (!isKnown && !anyModel) throw new InvalidCommand(`The program offers no model ${provider}/${id}`);
  return { provider, id };
}

function readTools(value: unknown): Fields[] {
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

function parse(value: unknown): unknown {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new InvalidCommand(`The tools are not JSON: ${error instanceof Error ? error.message : "unreadable"}`);
  }
}

function readInputs(value: unknown, draft: ForkDraft): ForkChanges["inputs"] {
  const known = new Set(draft.inputs.map(({ message }) => message));
  const inputs: ForkChanges["inputs"] = new Map();
  for (const input of listOf(value)) {
    const { message, text, isError } = fieldsOf(input);
    if (typeof message !== "number" || !known.has(message) || typeof text !== "string")
      throw new InvalidCommand("A change names a message that cannot be changed here");
    inputs.set(message, { text, isError: isError === true });
  }
  return inputs;
}

/** The messages of the first request. A message that was not changed stays the same object. */
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
