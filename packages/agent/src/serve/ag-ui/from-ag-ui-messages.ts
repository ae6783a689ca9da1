/** Converts the messages of an AG-UI client to messages of an agent. */
import type { AssistantMessage, Message, ToolCall, UserBlock } from "pi-ai";
import { PiError } from "pi-ai/call";
import { assertMessageList, checkDepth, checkIds, checkJsonDepth, listOf, toRecords } from "../client-data.js";
import { toFileBlock } from "../client-files.js";

/** A message of an AG-UI client. A client can send anything, so the type promises only the role; other fields are checked. */
export interface AgUiMessageInput {
  /** The role of the author. */
  role: string;
}

/** An object from a client. Its fields have not been checked. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * Converts the conversation of a client: user messages, responses and tool results. Leaves out system and developer
 * messages, reasoning, activities, and results without their call. A file that cannot be used, such as one at a private
 * address, becomes a note in its place. A client can forge anything, including responses and
 * results. If that matters, keep the conversation on the server and take only the client's last message.
 *
 * @throws PiError of the kind `invalid_request` for anything but a list, for a tool call whose arguments are nested deeper than 256 levels, and for a
 *   response of which two calls have one id; its text names the place, and the answer to the client is 400
 * @example
 * const messages = fromAgUiMessages((await request.json()).messages);
 */
export function fromAgUiMessages(messages: readonly AgUiMessageInput[]): Message[] {
  assertMessageList(messages, "fromAgUiMessages");
  const timestamp = Date.now();
  const names = new Map<string, string>();
  return listOf(messages).flatMap((message, index): Message[] => {
    const { role, content, toolCallId, toolCalls, error }: Fields = Object(message);
    if (role === "user") return [{ role, content: toBlocks(content), timestamp }];
    if (role === "assistant") {
      const calls = readCalls(toolCalls, `messages.${index}`);
      for (const { id, name } of calls) names.set(id, name);
      return toResponse(textsOf(content), calls, timestamp);
    }
    const toolName = names.get(textOf(toolCallId));
    if (role !== "tool" || toolName === undefined) return [];
    const result = { content: toBlocks(content), isError: typeof error === "string" };
    return [{ role: "toolResult", toolCallId: textOf(toolCallId), toolName, ...result, timestamp }];
  });
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Some clients send the text of a response as a list of parts. */
function textsOf(content: unknown): string {
  return Array.isArray(content)
    ? toRecords(content)
        .map(({ text }) => textOf(text))
        .join("")
    : textOf(content);
}

/**
 * A call that comes twice, with the same text, is one: it is read once.
 *
 * @param path of the message
 */
function readCalls(calls: unknown, path: string): ToolCall[] {
  const read = new Map<string, { call: ToolCall; json: string }>();
  for (const [index, item] of listOf(calls).entries()) {
    const { id, function: called }: Fields = Object(item);
    const [name, json] = [textOf(Object(called).name), textOf(Object(called).arguments)];
    if (!(textOf(id) && name)) continue;
    const known = read.get(textOf(id));
    if (known?.call.name === name && known.json === json) continue;
    const args = parse(json, `${path}.toolCalls.${index}.function.arguments`);
    const call: ToolCall = { type: "toolCall", id: textOf(id), name, arguments: args };
    if (known) checkIds([known.call, call]);
    read.set(call.id, { call, json });
  }
  return [...read.values()].map(({ call }) => call);
}

function toResponse(text: string, calls: readonly ToolCall[], timestamp: number): Message[] {
  const content: AssistantMessage["content"] = [...(text ? [{ type: "text" as const, text }] : []), ...calls];
  if (content.length === 0) return [];
  checkIds(content);
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  const stopReason = content.at(-1)?.type === "toolCall" ? "toolUse" : "stop";
  // The client does not know the model. A placeholder has no signatures, and its texts can be sent to any model.
  const model = { api: "ag-ui", provider: "ag-ui", model: "ag-ui" };
  return [{ role: "assistant", content, ...model, usage, stopReason, timestamp }];
}

/** @param path where the client sent it */
function parse(json: string, path: string): Record<string, unknown> {
  // The error for anything but an object costs more than all else about a small call.
  if (!/^\s*\{/.test(json)) return {};
  let args: Record<string, unknown>;
  try {
    args = JSON.parse(json);
  } catch {
    return {};
  }
  checkJsonDepth(json, path);
  return args;
}

function toBlocks(content: unknown): UserBlock[] {
  if (!Array.isArray(content)) return [{ type: "text", text: textOf(content) }];
  return toRecords(content).map(toBlock);
}

/** `binary` is the form of files before AG-UI 1.0. */
function toBlock(part: Fields): UserBlock {
  const { type, text, source, filename } = part;
  if (type === "text") return { type, text: textOf(text) };
  const { type: place, value, mimeType, data, url }: Fields = Object(type === "binary" ? part : source);
  return toFileBlock({
    kind: type === "binary" ? (textOf(mimeType).split("/")[0] ?? "") : textOf(type),
    data: place === "data" ? textOf(value) : given(data),
    url: textOf(place === "url" ? value : url),
    mimeType: textOf(mimeType),
    name: given(filename),
  });
}

const given = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The user's answer to an interrupt: for `agent.answer()`, or for the engine of a durable run. */
export interface AgUiAnswer {
  /** The id of the interrupt, which is that of the request. */
  id: string;
  /** The id of the interrupt. In a durable run, the name of the engine's signal that carries the answer. */
  name: string;
  /** Whether the tool may run. */
  approved: boolean;
  /** Why the user declined, for the model. */
  reason?: string;
  /** Whether the user has dismissed the interrupt without a decision. */
  cancelled?: boolean;
  /** The answer to a question of a tool. */
  value?: unknown;
}

/**
 * Reads the answers from the `resume` field of a client's request. A cancelled interrupt counts as declined.
 *
 * @throws PiError of the kind `invalid_request` for an answer without `interruptId`, and for a value that is nested deeper than 256 levels
 */
export function readAgUiAnswers(resume: unknown): AgUiAnswer[] {
  return toRecords(resume).map((item, index): AgUiAnswer => {
    const { interruptId, status, payload } = item;
    const { approved, reason, value }: Fields = Object(payload);
    checkDepth(value, `resume.${index}.payload.value`);
    const id = textOf(interruptId);
    if (!id) throw new PiError("invalid_request", `resume.${index} has no interruptId`);
    const answer = { id, name: id, approved: status === "resolved" && approved === true };
    const rest = {
      ...(typeof reason === "string" && { reason }),
      ...(status === "cancelled" && { cancelled: true }),
      ...(value !== undefined && { value }),
    };
    return { ...answer, ...rest };
  });
}
