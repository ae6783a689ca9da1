/**
 * Prepares a conversation for another model in three passes: reduce each message to what the target may see, pair each
 * tool call with one result, and rewrite ids that the target does not accept. The input is never changed.
 */
import type {
  AssistantMessage,
  CompactionContent,
  Message,
  ToolResultMessage,
  UserBlock,
} from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { shortHash } from "../../utils/hash.js";
import { isFailure, needsResult, type PendingCall } from "../../utils/message-facts.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { type FileRow, filesOf, type Reader } from "./foreign-files.js";
import { toReplayable, withContent } from "./replayable.js";
import { isSameModel } from "./same-model.js";

/** The tool call ids that an api accepts. */
export interface ToolCallIdRule {
  /** Returns an acceptable id. If two results are equal, `transformMessages` makes them distinct. */
  normalize(id: string, message: AssistantMessage): string;
  /** Longest id in characters. For a pair, the limit of its first part. */
  maxLength: number;
  /** The model's own ids that must go back whole, however long they are. */
  keeps?: RegExp;
  /** Whether to rewrite the model's own ids too. Default false: they are sent unchanged unless they are too long. */
  always?: boolean;
}

/** The demands of an api on a conversation. */
export interface TransformOptions {
  /** The ids that the api accepts. Default: any. */
  toolCallIds?: ToolCallIdRule | undefined;
  /** How another model's visible thinking is sent. Default `"text"`. */
  foreignThinking?: "text" | "drop" | undefined;
  /** Timestamp of results that are added here, in Unix milliseconds. */
  now?: number | undefined;
}

/** The demands of an api of this package. */
export interface HistoryOptions extends TransformOptions {
  /** Files that models of the api accept beside the kinds in their `input`. Default: none. */
  files?: readonly FileRow[] | undefined;
}

/** The result for a tool call whose own result is missing. */
export const NO_RESULT = "No result provided";

/**
 * Returns the conversation as the target model may see it: without failed responses and foreign signatures, with
 * exactly one result right after each tool call, and with ids that the target accepts. Messages that the target's
 * provider has compacted are omitted. The input is never changed.
 */
export function transformMessages(messages: readonly Message[], model: Model, options: HistoryOptions = {}): Message[] {
  const sent = messages.slice(findServerCompaction(messages, model));
  const visible = keepVisible(sent, { model, files: options.files ?? [] }, options.foreignThinking ?? "text");
  const paired = pairResults(visible, options.now ?? Date.now());
  return renameCalls(paired, model, options.toolCallIds);
}

/**
 * First pass: removes failed responses, and everything that the target must not or cannot see. Images and files that
 * another model generated move into the next user message, because few apis accept them in a response.
 */
function keepVisible(messages: readonly Message[], reader: Reader, foreignThinking: "text" | "drop"): Message[] {
  let carried: UserBlock[] = [];
  const kept: Message[] = [];
  for (const message of messages) {
    const visible = toReplayable(message, reader, foreignThinking);
    if (!visible) continue;
    if (visible.role === "user" && carried.length > 0) {
      const { content } = visible;
      const parts: UserBlock[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
      kept.push({ ...visible, content: [...carried, ...parts] });
      carried = [];
      continue;
    }
    if (message.role === "assistant" && !isSameModel(message, reader.model)) carried.push(...filesOf(message, reader));
    kept.push(visible);
  }
  return kept;
}

/**
 * Second pass: puts the results right after the message with their tool calls, in the same order, because some APIs
 * match results to tool calls by position only. Drops results without a tool call.
 */
function pairResults(messages: readonly Message[], now: number): Message[] {
  const index = new ResultIndex(messages);
  const paired: Message[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") continue;
    paired.push(message);
    if (message.role !== "assistant") continue;
    for (const { call, result = missingResult(call, now) } of index.next()) paired.push(named(result, call));
  }
  return paired;
}

/** The result, with the tool name of its call. */
function named(result: ToolResultMessage, { name }: PendingCall): ToolResultMessage {
  return result.toolName === name ? result : { ...result, toolName: name };
}

/** Third pass: assigns new ids to tool calls and to the results that follow them. */
function renameCalls(messages: readonly Message[], model: Model, rule: ToolCallIdRule | undefined): Message[] {
  const table = new IdTable(rule);
  let ids: Iterator<string> = [].values();
  return messages.map((message) => {
    if (message.role === "user" || message.role === "system") return message;
    if (message.role === "toolResult") {
      const toolCallId = ids.next().value ?? message.toolCallId;
      return toolCallId === message.toolCallId ? message : { ...message, toolCallId };
    }
    const foreign = !isSameModel(message, model);
    const assigned: string[] = [];
    const content = message.content.map((block) => {
      // The provider's own item names the id of a server tool.
      if (block.type === "serverTool" && needsResult(block)) assigned.push(block.id);
      if (block.type !== "toolCall") return block;
      const id = table.assign(block.id, message, foreign);
      assigned.push(id);
      return id === block.id ? block : { ...block, id };
    });
    ids = assigned.values();
    return withContent(message, content);
  });
}

function missingResult(call: PendingCall, timestamp: number): ToolResultMessage {
  const content = [{ type: "text" as const, text: NO_RESULT }];
  return { role: "toolResult", toolCallId: call.id, toolName: call.name, content, isError: true, timestamp };
}

/** A tool call at one place of the conversation, and its result. The same message object may occur twice. */
interface Place {
  call: PendingCall;
  result?: ToolResultMessage;
}

/** Finds the results of the tool calls, response by response. Ignores results of removed tool calls. */
class ResultIndex {
  readonly #responses: Place[][] = [];
  #read = 0;

  /**
   * Assigns a result to the last earlier message with a tool call that has its id and no result yet, because some
   * models reuse ids. Among such tool calls of one message, the first one gets it.
   */
  constructor(messages: readonly Message[]) {
    const waiting = new Map<string, Place[]>();
    for (const message of messages) {
      if (message.role === "assistant") this.#responses.push(expectResults(waiting, message));
      if (message.role !== "toolResult") continue;
      const place = waiting.get(message.toolCallId)?.pop();
      if (place) place.result = message;
    }
  }

  /** The tool calls of the next response. */
  next(): readonly Place[] {
    return this.#responses[this.#read++] ?? [];
  }
}

/** Puts the places of a message on the stacks of their ids, the first place on top. */
function expectResults(waiting: Map<string, Place[]>, message: AssistantMessage): Place[] {
  const places = message.content.filter(needsResult).map((call): Place => ({ call }));
  for (const place of places.toReversed()) {
    const stack = waiting.get(place.call.id);
    if (stack) stack.push(place);
    else waiting.set(place.call.id, [place]);
  }
  return places;
}

/** Assigns each tool call an id that the target accepts and that is unique in the request. */
class IdTable {
  readonly #rule: ToolCallIdRule | undefined;
  readonly #used = new Set<string>();
  /** How often an id was replaced. The search for the next free id starts at this number. */
  readonly #replaced = new Map<string, number>();

  constructor(rule: ToolCallIdRule | undefined) {
    this.#rule = rule;
  }

  assign(given: string, message: AssistantMessage, foreign: boolean): string {
    // Imported transcripts may lack it.
    const id = sanitizeSurrogates(String(given ?? ""));
    const rule = this.#rule;
    const isShort = !rule || stemOf(id).length <= rule.maxLength || Boolean(rule.keeps?.test(id));
    const fits = !rule || (!foreign && !rule.always && isShort);
    const wanted = fits ? id : rule.normalize(id, message);
    const stem = stemOf(wanted);
    const isTaken = this.#used.has(stem) || stem.trim() === "";
    const item = wanted.slice(stem.length);
    // An item is sent once.
    const own = item !== "" && this.#used.has(item) ? stem : wanted;
    const free = isTaken ? this.#another(stem.trim(), id) : own;
    this.#used.add(free.slice(stemOf(free).length));
    this.#used.add(stemOf(free));
    return free;
  }

  #another(wanted: string, id: string): string {
    const maxLength = this.#rule?.maxLength ?? Number.POSITIVE_INFINITY;
    for (let count = this.#replaced.get(id) ?? 0; ; count++) {
      const suffix = shortHash(count === 0 ? id : `${id}#${count}`);
      const candidate = `${wanted.slice(0, Math.max(0, maxLength - suffix.length))}${suffix}`.slice(0, maxLength);
      if (this.#used.has(candidate)) continue;
      this.#replaced.set(id, count + 1);
      return candidate;
    }
  }
}

/** Ids of the Responses API are pairs. Only the first part identifies the tool call. */
function stemOf(id: string): string {
  const bar = id.indexOf("|");
  return bar === -1 ? id : id.slice(0, bar);
}

/**
 * The index of the model's latest response with a `compaction` block. The provider drops what came before the block, so
 * requests omit the messages before this response (platform.claude.com, "Compaction"; developers.openai.com,
 * "Compaction"; both 2026-11). 0 if there is none: a block of another model, of a failed response, or of a failed
 * compaction does not count.
 */
export function findServerCompaction(
  messages: readonly { role: string }[],
  model: Pick<Model, "api" | "provider" | "id">,
): number {
  const isCompacted = (message: { role: string }): boolean =>
    isReplayed(message) && isSameModel(message, model) && hasCompaction(message);
  return Math.max(0, messages.findLastIndex(isCompacted));
}

function isReplayed(message: { role: string }): message is AssistantMessage {
  if (message.role !== "assistant" || !("stopReason" in message)) return false;
  return !isFailure(message.stopReason);
}

function hasCompaction({ content }: AssistantMessage): boolean {
  return Array.isArray(content) && content.some((block) => block?.type === "compaction" && goesBack(block));
}

/** Whether the provider's own item, with content, is sent back. Anthropic ignores the empty item of a failed one. */
function goesBack({ text, signature = "" }: CompactionContent): boolean {
  // The signature is JSON. A string inside it cannot match, because its quotation marks are escaped.
  const isItem = signature.includes('"type":"compaction"');
  return isItem && (text !== undefined || signature.includes('"encrypted_content":"'));
}
