/** Converts the messages of a page to messages of an agent. */
import type { AssistantMessage, Message, TextContent, ToolCall, ToolResultMessage, UserBlock } from "pi-ai";
import { DEFAULT_MAX_JSON_DEPTH, isRecord, PiError, parsePublicAddress, parseWebAddress } from "pi-ai/call";
import { createMark, type MarkMessage } from "../../pause/index.js";
import { assertMessageList, checkDepth, checkIds, checkJson, listOf, toRecords } from "../client-data.js";
import { toFileBlock } from "../client-files.js";
import { readApprovalId } from "./approval-id.js";
import { joinRepeatedCalls } from "./repeated-calls.js";

/** The fields of a `useChat` message that are read. A page can send anything, so every field is checked. */
export interface UIMessageInput {
  /** The role of the author. */
  role: string;
  /** The parts of the message, in order. */
  parts: readonly object[];
}

/** A part whose fields have not been checked. */
type Part = Readonly<Record<string, unknown>>;

/**
 * Converts the conversation of `useChat`: texts, reasoning, tool calls with their results, files and sources. Leaves out
 * system messages, data parts and tool calls without complete input. A call that waits for an approval goes on with
 * `agent.continue()` if its request is signed, see `secret` of `approvals`. A page can forge anything else, including responses
 * and results. If that matters, keep the conversation on the server and take only the page's last message.
 *
 * @throws PiError of the kind `invalid_request` for anything but a list, for a part whose input or output is nested deeper than 256 levels, for a
 *   response of which two calls have one id, and for a message with `content` instead of `parts`; its text names the place,
 *   and the answer to the page is 400
 * @example
 * const messages = fromUIMessages((await request.json()).messages);
 * const agent = new Agent({ initialState: { model, messages: messages.slice(0, -1) } });
 */
export function fromUIMessages(messages: readonly UIMessageInput[]): Message[] {
  const timestamp = Date.now();
  assertMessageList(messages, "fromUIMessages");
  checkParts(messages);
  const converted = toRecords(messages).flatMap(({ role, parts }): Message[] => {
    if (role === "assistant") return toResponses(toRecords(parts), timestamp);
    return role === "user" ? toUser(toRecords(parts), timestamp) : [];
  });
  return joinRepeatedCalls(converted);
}

/** Inputs and outputs of tools are the only values of a page that are taken as they are. */
function checkParts(messages: unknown): void {
  for (const [index, message] of listOf(messages).entries()) {
    const { parts, content } = Object(message);
    if (parts === undefined && content !== undefined)
      throw new PiError(
        "invalid_request",
        `messages.${index} has content instead of parts. A message of useChat is { id, role, parts: [{ type: "text", text }] }`,
      );
    for (const [place, part] of listOf(parts).entries()) {
      const { input, output }: Part = Object(part);
      const path = `messages.${index}.parts.${place}`;
      checkDepth(input, `${path}.input`);
      checkOutput(output, `${path}.output`);
    }
  }
}

/** The JSON of outputs, which the check has written: of very many keys, each further reading is a long one. */
const texts = /* @__PURE__ */ new WeakMap<object, string>();

function checkOutput(output: unknown, path: string): void {
  // The details of a result may be as deep as the input, and stand one level below.
  const deepest = DEFAULT_MAX_JSON_DEPTH + 1;
  const isText =
    typeof output === "object" && output !== null && !(isRecord(output) && Array.isArray(output["content"]));
  if (isText) texts.set(output, checkJson(output, path, deepest));
  else checkDepth(output, path, deepest);
}

/** The page's answer to a `tool-approval-request`: for `agent.answer()`, or for the engine of a durable run. */
export interface UIApproval {
  /** The id of the request. */
  id: string;
  /** The name of the request, which is the name of the engine's signal in a durable run. */
  name: string;
  /** The tool call that waits. */
  toolCallId: string;
  /** Whether the tool may run. */
  approved: boolean;
  /** The reason for a refusal, for the model. */
  reason?: string;
  /** The signature of the request, if it has one: `agent.answer()` takes the answer for this request only. */
  signature?: string;
}

/**
 * Reads the approvals and refusals in the last message of a page, which `useChat` sends after `addToolApprovalResponse`.
 * Returns an empty list for a message of the user. A page can forge an approval: check whether its user may give it.
 */
export function readUIApprovals(messages: readonly UIMessageInput[]): UIApproval[] {
  assertMessageList(messages, "readUIApprovals");
  return toRecords(toRecords(messages).at(-1)?.["parts"]).flatMap(({ state, approval, toolCallId }) => {
    const { id, approved, reason, isAutomatic } = (approval ?? {}) as Part; // Checked field by field.
    if (state !== "approval-responded" || isAutomatic === true) return [];
    const name = textOf(id);
    if (!name) return [];
    const { id: requestId, signature } = readApprovalId(name);
    const answer = { id: requestId, name, toolCallId: textOf(toolCallId), approved: approved === true };
    return [{ ...answer, ...(typeof reason === "string" && { reason }), ...(signature && { signature }) }];
  });
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function toUser(parts: readonly Part[], timestamp: number): Message[] {
  const content = parts.flatMap((part): UserBlock[] => {
    const type = textOf(part["type"]);
    if (type === "text") return [{ type, text: textOf(part["text"]) }];
    if (type === "file") return [toFile(part)];
    return type.startsWith("data-") ? [] : [{ type: "text", text: "(part omitted: its type is not known)" }];
  });
  return content.length > 0 ? [{ role: "user", content, timestamp }] : [];
}

const nameOf = (name: unknown): { name?: string } => (typeof name === "string" ? { name } : {});

/**
 * Other addresses would let a page read files of the server's own account, such as `gs:` and `s3:`, or of the private network
 * of whoever fetches them.
 */
const isWebAddress = (url: unknown): url is string => typeof url === "string" && parsePublicAddress(url) !== undefined;

/** A note stands for a file that cannot be used. */
function toFile({ url, mediaType, filename }: Part): UserBlock {
  const mimeType = textOf(mediaType);
  return toFileBlock({ kind: mimeType.split("/")[0] ?? "", url: textOf(url), mimeType, ...nameOf(filename) });
}

/** Returns the responses of one UI message, one per step, with the results of their tools. */
function toResponses(parts: readonly Part[], timestamp: number): Message[] {
  const messages: Message[] = [];
  let step: Step = createStep();
  const endStep = (): void => {
    if (step.content.length > 0) messages.push(toResponse(step.content, timestamp), ...step.results);
    step = createStep();
  };
  for (const part of parts) {
    const { type } = part;
    if (type === "step-start") endStep();
    else if (type === "data-reset-step") step = createStep();
    else if (type === "steering-message" || type === "data-steering-message") {
      endStep();
      const { parts: steering } = type === "steering-message" ? part : ((part["data"] ?? {}) as Part); // Checked by `toRecords`.
      messages.push(...toUser(toRecords(steering), timestamp));
    } else addPart(step, part, timestamp);
  }
  endStep();
  return messages;
}

interface Step {
  content: AssistantMessage["content"];
  results: ToolResultMessage[];
  /** The newest call of each id. */
  calls: Map<string, Called>;
  /** The last text, to which sources belong. */
  text?: TextContent;
}

interface Called {
  name: string;
  input: unknown;
  /** Of the input, once another call has its id. */
  json?: string;
  /** Whether it has its result. */
  ended: boolean;
  /** Whether it came with the answer of a person, or the request for one. */
  asked: boolean;
}

const jsonOf = (call: Called): string => (call.json ??= JSON.stringify(call.input));

/** A page may hold one call in two states. With two answers of a person, which of them counts could not be said. */
function isSameCall(known: Called, call: Called): boolean {
  return !known.asked && !call.asked && known.name === call.name && jsonOf(known) === jsonOf(call);
}

const createStep = (): Step => ({ content: [], results: [], calls: new Map() });

function addPart(step: Step, part: Part, timestamp: number): void {
  const { content } = step;
  const { type, text } = part;
  if (type === "text") {
    step.text = { type, text: textOf(text) };
    content.push(step.text);
  } else if (type === "reasoning") content.push({ type: "thinking", thinking: textOf(text) });
  else if (type === "source-url") cite(step.text, part);
  else if (type === "file") content.push(toFile(part));
  else if (type === "dynamic-tool") addTool(step, part, textOf(part["toolName"]), timestamp);
  else if (typeof type === "string" && type.startsWith("tool-")) addTool(step, part, type.slice(5), timestamp);
}

function addTool({ content, results, calls }: Step, part: Part, name: string, timestamp: number): void {
  const { state, providerExecuted, output } = part;
  const id = textOf(part["toolCallId"]);
  if (state === "input-streaming" || !id || !name) return;
  const input = toArguments(part["input"]);
  const outcome = readOutcome(part);
  if (providerExecuted === true) {
    const ended = outcome?.isError ? "failed" : "done";
    content.push({ type: "serverTool", id, name, input, status: outcome ? ended : "running", output });
    return;
  }
  const called: Called = { name, input, ended: outcome !== undefined, asked: part["approval"] !== undefined };
  const known = calls.get(id);
  const isSame = known !== undefined && isSameCall(known, called);
  if (isSame && (known.ended || !outcome)) return;
  if (!isSame) content.push({ type: "toolCall", id, name, arguments: input });
  calls.set(id, called);
  if (outcome) results.push({ role: "toolResult", toolCallId: id, toolName: name, timestamp, ...outcome });
  else results.push(...toMarks({ id, name, arguments: input }, part, timestamp));
}

/**
 * The facts of a call that has paused: its request if it is signed, and the answer. The page can forge a request without a signature,
 * so that counts for nothing.
 */
function toMarks(call: Pick<ToolCall, "id" | "name" | "arguments">, part: Part, timestamp: number): MarkMessage[] {
  const { id, approved, reason, isAutomatic } = (part["approval"] ?? {}) as Part; // Checked field by field.
  const at = { timestamp };
  const signed = readApprovalId(textOf(id));
  if (signed.signature === undefined) return [];
  const { id: toolCallId, name: toolName, arguments: args } = call;
  // The call of a sequential batch that waits for another one is approved without the user.
  const kind = isAutomatic === true ? "order" : "approval";
  const request = { ...signed, kind, toolCallId, toolName, arguments: args } as const;
  const key = kind === "order" ? signed.id.slice(0, -1) : signed.id;
  const waiting = createMark(call, { state: "waiting", key, requests: [request] }, at);
  if (part["state"] !== "approval-responded" || kind === "order") return [waiting];
  const answer = {
    id: signed.id,
    approved: approved === true,
    ...(typeof reason === "string" && reason && { reason }),
  };
  return [waiting, createMark(call, { state: "answered", answers: [answer] }, at)];
}

function toArguments(input: unknown): Record<string, unknown> {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : {}; // A JSON object.
}

function toResponse(content: AssistantMessage["content"], timestamp: number): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  checkIds(content);
  const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  // The page does not know the model. A placeholder has no signatures, and its texts can be sent to any model.
  return { role: "assistant", content, api: "ui", provider: "ui", model: "ui", usage, stopReason, timestamp };
}

function cite(text: TextContent | undefined, { url, title }: Part): void {
  // Another address, such as `javascript:`, would run in the next page that shows it.
  if (!text || !parseWebAddress(textOf(url))) return;
  text.citations ??= [];
  text.citations.push({ url: textOf(url), ...(typeof title === "string" ? { title } : {}) });
}

type Outcome = Pick<ToolResultMessage, "content" | "isError" | "details">;

/** Returns undefined for a tool that has not ended. */
function readOutcome({ state, output, errorText, preliminary, approval }: Part): Outcome | undefined {
  if (state === "output-available" && preliminary !== true) return { ...readOutput(output), isError: false };
  if (state === "output-error") return { content: toText(textOf(errorText)), isError: true };
  if (state !== "output-denied") return undefined;
  const { reason } = (approval ?? {}) as Part; // Checked by `textOf`.
  return { content: toText(textOf(reason) || "The call was declined"), isError: true };
}

const toText = (text: string): UserBlock[] => [{ type: "text", text }];

/** Returns the result if it has the default form of `toUIMessageStream`, otherwise its JSON as text. */
function readOutput(output: unknown): Pick<Outcome, "content" | "details"> {
  const { content, details } = (output ?? {}) as Part; // Checked below.
  const blocks = Array.isArray(content) ? content.map(toBlock) : [undefined];
  if (blocks.every((block) => block !== undefined)) return { content: blocks, details };
  const text = typeof output === "string" ? output : (texts.get(Object(output)) ?? JSON.stringify(output) ?? "");
  return { content: toText(text) };
}

/** Takes only the fields that a page may set: a forged `fileId` could name a file of another user. */
function toBlock(block: unknown): UserBlock | undefined {
  const { type, text, data, mimeType, url, name } = (block ?? {}) as Part; // Checked below.
  if (type === "text" && typeof text === "string") return { type, text };
  if (typeof mimeType !== "string") return undefined;
  if (type === "image" && typeof data === "string") return { type, data, mimeType };
  if (type !== "file") return undefined;
  if (typeof data === "string") return { type, data, mimeType, ...nameOf(name) };
  return isWebAddress(url) ? { type, url, mimeType, ...nameOf(name) } : undefined;
}
