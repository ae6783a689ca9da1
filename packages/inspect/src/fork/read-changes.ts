/** Reads the changes that the page sends for a fork. Every field is checked, because the body can contain anything. */
import { redactCredentials } from "../record/credentials.js";
import { describeThrown, type Fields, fieldsOf, listOf, textOf } from "../record/fields.js";
import type { ModelName } from "../record/launcher.js";
import { blocksOf } from "../record/message-sections.js";
import { type ForkDraft, textOfMessage } from "./fork-draft.js";

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
const MAX_TOOLS = 200;
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
