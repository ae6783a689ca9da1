/** Reads the changes that a page sends. Each field is checked: the body of a request can hold anything. */
import { redactCredentials } from "../record/credentials.js";
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

/**
 * The text that was sent if the page sends it back as it was shown, with its credentials redacted. Otherwise the redaction
 * itself would be a change.
 */
export function restore(shown: string, sent: string): string {
  return shown === redactCredentials(sent) ? sent : shown;
}

/**
 * @param draft with the texts as they were sent
 * @throws InvalidCommand that names the field
 */
export function readChanges(body: unknown, draft: ForkDraft): ForkChanges {
  const fields = fieldsOf(body);
  const { thinking, system } = fields;
  if (typeof thinking !== "string" || !THINKING_LEVELS.includes(thinking))
    throw new InvalidCommand(`Thinking must be one of ${THINKING_LEVELS.join(", ")}`);
  if (typeof system !== "string") throw new InvalidCommand("The system prompt must be a text");
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
  if (!isKnown && !anyModel) throw new InvalidCommand(`The program offers no model ${provider}/${id}`);
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
    throw new InvalidCommand(`The tools are not JSON: ${error instanceof Error ? error.message : "unreadable"}`);
  }
}

function readInputs(value: unknown, draft: ForkDraft): ForkChanges["inputs"] {
  const known = new Map(draft.inputs.map((input) => [input.message, input.text]));
  const inputs: ForkChanges["inputs"] = new Map();
  for (const input of listOf(value)) {
    const { message, text, isError } = fieldsOf(input);
    const sent = typeof message === "number" ? known.get(message) : undefined;
    if (typeof message !== "number" || sent === undefined || typeof text !== "string")
      throw new InvalidCommand("A change names a message that cannot be changed here");
    inputs.set(message, { text: restore(text, sent), isError: isError === true });
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
