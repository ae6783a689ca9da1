/**
 * A conversation, ready for another model, in three passes: what the target may see of each message, one result for
 * each call, and ids that it accepts. The input is never changed.
 */
import type { AssistantMessage, Message, ToolCall, ToolResultMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { shortHash } from "../utils/hash.js";
import { isSameModel, toReplayable } from "./replayable-message.js";

/** The tool call ids that a protocol accepts. */
export interface ToolCallIdRule {
  /** Makes an id acceptable. The result may clash with another; that is seen to here. */
  normalize(id: string, message: AssistantMessage): string;
  /** Longest id in characters; of a pair, its first part. */
  maxLength: number;
  /** Also for messages of the model itself. Default false: its own ids are sent as they came, unless they are too long. */
  always?: boolean;
}

/** What a protocol asks of a conversation. */
export interface TransformOptions {
  /** The ids that it accepts. Default: any. */
  toolCallIds?: ToolCallIdRule;
  /** What becomes of another model's visible thinking. Default `"text"`. */
  foreignThinking?: "text" | "drop" | undefined;
  /** Unix time in milliseconds of results that are made up here. */
  now?: number;
}

/** The answer to a call whose real one is missing. */
export const NO_RESULT = "No result provided";

/**
 * A conversation as another model may see it: failed answers and foreign signatures are gone, each call has exactly one
 * result, right after it, and ids fit. The input is never changed.
 */
export function transformMessages(
  messages: readonly Message[],
  model: Model,
  options: TransformOptions = {},
): Message[] {
  const visible = keepVisible(messages, model, options.foreignThinking ?? "text");
  const paired = pairResults(visible, options.now ?? Date.now());
  return renameCalls(paired, model, options.toolCallIds);
}

/** First pass: failed answers are gone, and so is what belongs to another model or cannot be shown. */
function keepVisible(messages: readonly Message[], model: Model, foreignThinking: "text" | "drop"): Message[] {
  return messages.flatMap((message) => toReplayable(message, model, foreignThinking) ?? []);
}

/**
 * Second pass: each call's result comes right after the answer that holds the call, in the order of the calls, because
 * some protocols have no other way to tell which result is whose. A result without its call is gone.
 */
function pairResults(messages: readonly Message[], now: number): Message[] {
  const results = new ResultIndex(messages);
  return messages.flatMap((message): Message[] => {
    if (message.role === "toolResult") return [];
    if (message.role === "user") return [message];
    const calls = message.content.filter((block) => block.type === "toolCall");
    return [
      message,
      ...calls.map((call) => ({ ...(results.of(call) ?? missingResult(call, now)), toolName: call.name })),
    ];
  });
}

/** Third pass: new ids for calls, and for the results that follow them one by one. */
function renameCalls(messages: readonly Message[], model: Model, rule: ToolCallIdRule | undefined): Message[] {
  const table = new IdTable(rule);
  let ids: Iterator<string> = [].values();
  return messages.map((message) => {
    if (message.role === "user") return message;
    if (message.role === "toolResult") return { ...message, toolCallId: ids.next().value ?? message.toolCallId };
    const foreign = !isSameModel(message, model);
    const given: string[] = [];
    const content = message.content.map((block) => {
      if (block.type !== "toolCall") return block;
      const id = table.assign(block.id, message, foreign);
      given.push(id);
      return id === block.id ? block : { ...block, id };
    });
    ids = given.values();
    return { ...message, content };
  });
}

function missingResult(call: ToolCall, timestamp: number): ToolResultMessage {
  const content = [{ type: "text" as const, text: NO_RESULT }];
  return { role: "toolResult", toolCallId: call.id, toolName: call.name, content, isError: true, timestamp };
}

/** The results of calls, each for one call; those of calls that are gone are never asked for. */
class ResultIndex {
  readonly #byCall = new Map<ToolCall, ToolResultMessage>();

  /**
   * A result belongs to the last call before it with its id that has none yet, for some models use an id again; among
   * the calls of one message, to the first.
   */
  constructor(messages: readonly Message[]) {
    const waiting = new Map<string, ToolCall[][]>();
    for (const message of messages) {
      if (message.role === "assistant") expectResults(waiting, message);
      if (message.role !== "toolResult") continue;
      const groups = waiting.get(message.toolCallId);
      const group = groups?.at(-1);
      const call = group?.shift();
      if (group?.length === 0) groups?.pop();
      if (call) this.#byCall.set(call, message);
    }
  }

  of(call: ToolCall): ToolResultMessage | undefined {
    return this.#byCall.get(call);
  }
}

function expectResults(waiting: Map<string, ToolCall[][]>, message: AssistantMessage): void {
  const groups = new Map<string, ToolCall[]>();
  for (const block of message.content) {
    if (block.type !== "toolCall") continue;
    const group = groups.get(block.id);
    if (group) group.push(block);
    else groups.set(block.id, [block]);
  }
  for (const [id, group] of groups) {
    const earlier = waiting.get(id);
    if (earlier) earlier.push(group);
    else waiting.set(id, [group]);
  }
}

/** Gives each call an id that the target accepts and that no other call of the request has. */
class IdTable {
  readonly #rule: ToolCallIdRule | undefined;
  readonly #used = new Set<string>();
  /** How often an id was replaced: where the search for the next one begins. */
  readonly #replaced = new Map<string, number>();

  constructor(rule: ToolCallIdRule | undefined) {
    this.#rule = rule;
  }

  assign(id: string, message: AssistantMessage, foreign: boolean): string {
    const rule = this.#rule;
    const fits = !rule || (!foreign && !rule.always && stemOf(id).length <= rule.maxLength);
    const wanted = fits ? id : rule.normalize(id, message);
    const free = this.#used.has(stemOf(wanted)) || wanted === "" ? this.#another(stemOf(wanted), id) : wanted;
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

/** Ids of the Responses API are pairs, of which only the first part tells calls apart. */
function stemOf(id: string): string {
  const bar = id.indexOf("|");
  return bar === -1 ? id : id.slice(0, bar);
}
