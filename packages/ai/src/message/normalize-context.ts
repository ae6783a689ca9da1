/** Converts the forms in which callers write a context to the one form that adapters read. */
import { ConfigError, PiError } from "../errors.js";
import type { Context, Tool } from "../types/context.js";
import type { ContextInput, MessageInput, SystemMessageInput } from "../types/context-input.js";
import type { Message } from "../types/message.js";
import { isObject, isRecord } from "../utils/is-object.js";
import { readParameters } from "../utils/library-schema.js";
import { isPromise, nameValue } from "../utils/name-value.js";
import { ownValue } from "../utils/own-value.js";
import { findUnreadFields, withUnreadFields } from "./unread-fields.js";

/** Names of roles in other libraries, in lower case, and ours. */
const FOREIGN_ROLES: Readonly<Record<string, Message["role"]>> = {
  ai: "assistant",
  function: "toolResult",
  human: "user",
  model: "assistant",
  tool: "toolResult",
  user: "user",
};

/** The role of this library that is meant by one of another; undefined for one that nobody has. */
export function roleMeant(role: unknown): Message["role"] | undefined {
  return ownValue(FOREIGN_ROLES, String(role).toLowerCase());
}

/** Names of a context's fields in other libraries, in lower case, and ours. */
const FOREIGN_FIELDS: Readonly<Record<string, keyof Context>> = {
  instructions: "systemPrompt",
  prompt: "messages",
  system: "systemPrompt",
  systemprompt: "systemPrompt",
  tool: "tools",
};

/**
 * Converts a string to a user message, system messages to a part of the system prompt, a missing timestamp to the
 * current time, and schemas of other libraries to JSON Schema. A context that needs none of this is returned as the
 * same object.
 *
 * @throws ConfigError that names the message or the tool and the fix
 */
export function normalizeContext(input: string | ContextInput): Context {
  if (typeof input === "string") return { messages: [toUserMessage(input)] };
  if (!isObject(input) || Array.isArray(input) || isPromise(input))
    throw new ConfigError(`The argument "context" must be ${EXPECTED}, but it is ${nameValue(input)}.`);
  const { messages: given, systemPrompt, tools } = input;
  checkFields(input);
  const { messages, instructions } = normalizeMessages(given);
  const convertedTools = tools && normalizeTools(tools);
  const unread = findUnreadFields(messages === given ? [] : given, tools);
  // The checks above found only messages and tools in their final form.
  if (messages === given && convertedTools === tools) return withUnreadFields(input as Context, unread);
  const context: Context = { ...input, messages };
  if (instructions.length > 0)
    context.systemPrompt = joinTexts(systemPrompt ? [systemPrompt, ...instructions] : instructions);
  if (convertedTools) context.tools = convertedTools;
  return withUnreadFields(context, unread);
}

/** Without this, what stands under another library's name would be left out without a word. */
function checkFields(input: ContextInput): void {
  for (const [name, value] of Object.entries(input)) {
    const meant = ownValue(FOREIGN_FIELDS, name.toLowerCase());
    if (meant !== undefined && value !== undefined && input[meant] === undefined)
      throw new ConfigError(`The context has \`${name}\`. Write ${meant}.`);
  }
}

/** A message with a timestamp. Returned as the same object if it has one. */
export function toTimedMessage(message: Exclude<MessageInput, SystemMessageInput>): Message {
  // The message or its copy has a timestamp.
  return (message.timestamp === undefined ? { ...message, timestamp: Date.now() } : message) as Message;
}

const EXPECTED = "a prompt or an object such as { systemPrompt, messages, tools }";

interface NormalizedMessages {
  messages: Message[];
  /** The texts of system messages. */
  instructions: string[];
}

function normalizeMessages(given: unknown): NormalizedMessages {
  if (typeof given === "string") return { messages: [toUserMessage(given)], instructions: [] };
  if (!Array.isArray(given)) {
    throw new ConfigError(`context.messages must be a list of messages or a string, but it is ${nameValue(given)}.`);
  }
  if (given.every(isComplete)) return { messages: given, instructions: [] };
  const normalized: NormalizedMessages = { messages: [], instructions: [] };
  for (const [index, message] of given.entries()) addMessage(normalized, checkRole(message, index), index);
  return normalized;
}

/** Instructions before the first message are a part of the prompt. Later ones, and changes, keep their place. */
function addMessage({ messages, instructions }: NormalizedMessages, message: MessageInput, index: number): void {
  if (!isInstructions(message)) messages.push(toTimedMessage(checkContent(message, index)));
  else if (messages.length > 0 || CHANGES.some((field) => message[field] !== undefined))
    messages.push(readChange(message, index));
  else instructions.push(readInstructions(message, index));
}

const CHANGES = ["base", "systemPrompt", "sections", "toolsAdded", "toolsRemoved", "thinkingLevel"] as const;

function readChange(message: SystemMessageInput, index: number): Message {
  const { systemPrompt = "", sections = {}, toolsAdded, toolsRemoved } = message;
  const check = (isRight: boolean, field: string, expected: string, value: unknown): void => {
    if (isRight) return;
    throw new ConfigError(`context.messages[${index}].${field} must be ${expected}, but it is ${nameValue(value)}.`);
  };
  check(typeof systemPrompt === "string", "systemPrompt", "a text", systemPrompt);
  check(isRecord(sections), "sections", "an object of texts", sections);
  for (const [name, text] of Object.entries(sections))
    check(typeof text === "string" || text === null, `sections[${JSON.stringify(name)}]`, "a text or null", text);
  for (const [field, tools = []] of Object.entries({ toolsAdded, toolsRemoved })) {
    check(Array.isArray(tools), field, "a list of tools with their names", tools);
    for (const [at, tool] of tools.entries())
      check(isRecord(tool) && typeof tool["name"] === "string", `${field}[${at}]`, "a tool with its name", tool);
  }
  const given = Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined));
  return {
    ...given,
    role: "system",
    content: readInstructions(message, index),
    ...(toolsAdded && { toolsAdded: normalizeTools(toolsAdded) }),
    timestamp: message.timestamp ?? Date.now(),
  };
}

/** Without this a message of another library would be left out of the request without a word. */
function checkContent<TMessage extends MessageInput>(message: TMessage, index: number): TMessage {
  const { content } = message;
  if (typeof content === "string") return message;
  if (Array.isArray(content)) {
    if (message.role === "user")
      for (const [at, block] of content.entries()) checkBlock(block, `context.messages[${index}].content[${at}]`);
    return message;
  }
  const other = ["parts", "text", "message"].find((name) => Object.hasOwn(message, name));
  const found = other ? `has \`${other}\` instead of content` : "has no content";
  throw new ConfigError(`context.messages[${index}] ${found}. Write content: "…", or a list of blocks.`);
}

/**
 * Checks the contents of messages that are complete but for them.
 *
 * @throws ConfigError that names the block and the fix
 */
export function checkContents(messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) checkContent(message, index);
}

/** Checks a block that a caller has just written. Imported transcripts may have empty places. */
function checkBlock(block: unknown, place: string): void {
  if (block === null || block === undefined) return;
  if (!isRecord(block))
    throw new ConfigError(`${place} must be a block such as { type: "text", text }, but it is ${nameValue(block)}.`);
  const { type, text, data, mimeType } = block;
  if (type !== "text" && type !== "image" && type !== "file")
    throw new ConfigError(
      `${place} has the type ${nameValue(type)}. Write { type: "text", text }, { type: "image", data, mimeType }, or a block of the type "file".`,
    );
  const needsData = type === "image" || (type === "file" && data !== undefined);
  const wrong =
    type === "text"
      ? typeof text !== "string" && { field: "text", expected: "a string", value: text }
      : needsData && typeof data !== "string"
        ? { field: "data", expected: 'base64, such as buffer.toString("base64")', value: data }
        : typeof mimeType !== "string" && {
            field: "mimeType",
            expected: 'a type such as "image/png"',
            value: mimeType,
          };
  if (wrong)
    throw new ConfigError(`${place}.${wrong.field} must be ${wrong.expected}, but it is ${nameValue(wrong.value)}.`);
}

function isInstructions(message: MessageInput): message is SystemMessageInput {
  return message.role === "system" || message.role === "developer";
}

/** Whether adapters can read a message unchanged. Runs once for each message of each request. */
function isComplete(message: unknown): message is Message {
  if (!isRecord(message)) return false;
  const { role, timestamp, content } = message as Partial<Message>; // read with unverified fields
  if (typeof content !== "string" && !Array.isArray(content)) return false;
  return timestamp !== undefined && (role === "user" || role === "assistant" || role === "toolResult");
}

function checkRole(message: unknown, index: number): MessageInput {
  const place = `context.messages[${index}]`;
  if (!isRecord(message)) throw new ConfigError(`${place} must be a message, but it is ${nameValue(message)}.`);
  const role = "role" in message ? message.role : undefined;
  switch (role) {
    case "user":
    case "assistant":
    case "toolResult":
    case "system":
    case "developer":
      // The role says which type the message claims to be; adapters check the rest.
      return message as MessageInput;
  }
  const known = roleMeant(role);
  const advice = known ?? '"user", "assistant", "toolResult" or "system"';
  throw new ConfigError(`${place} has the role ${nameValue(role)}. Write ${known ? JSON.stringify(known) : advice}.`);
}

function readInstructions({ content }: SystemMessageInput, index: number): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content) && content.every((block) => typeof block?.text === "string")) {
    return joinTexts(content.map((block) => block.text));
  }
  throw new ConfigError(`context.messages[${index}] is a system message; its content must be text.`);
}

function normalizeTools(tools: Tool[]): Tool[] {
  if (!Array.isArray(tools))
    throw new ConfigError(`context.tools must be a list of tools, but it is ${nameValue(tools)}.`);
  const converted = tools.map((tool) => {
    try {
      const parameters = readParameters(tool);
      return parameters === tool.parameters ? tool : { ...tool, parameters };
    } catch (error) {
      if (PiError.is(error)) throw error;
      return tool; // The check of its fields says what is wrong.
    }
  });
  return converted.every((tool, index) => tool === tools[index]) ? tools : converted;
}

function toUserMessage(content: string): Message {
  return { role: "user", content, timestamp: Date.now() };
}

function joinTexts(texts: readonly string[]): string {
  return texts.join("\n\n");
}
