/**
 * A conversation, ready for another model. Three passes: what the target may see of each message, ids it accepts, and
 * one result for each call. The input is never changed.
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

export interface TransformOptions {
  toolCallIds?: ToolCallIdRule;
  /** What becomes of another model's visible thinking. Default `"text"`. */
  foreignThinking?: "text" | "drop" | undefined;
  /** Unix time in milliseconds of results that are made up here. */
  now?: number;
}

/** The answer to a call whose real one is missing. */
export const NO_RESULT = "No result provided";

export function transformMessages(
  messages: readonly Message[],
  model: Model,
  options: TransformOptions = {},
): Message[] {
  const visible = messages.flatMap((message) => toReplayable(message, model, options.foreignThinking ?? "text") ?? []);
  return pairResults(visible, model, options);
}

/** Puts each call's result right after the call, under the id that the target is given. */
function pairResults(messages: readonly Message[], model: Model, options: TransformOptions): Message[] {
  const results = new ResultIndex(messages);
  const ids = new IdTable(options.toolCallIds);
  const output: Message[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") continue;
    if (message.role === "user") {
      output.push(message);
      continue;
    }
    const foreign = !isSameModel(message, model);
    const answers: ToolResultMessage[] = [];
    const content = message.content.map((block) => {
      if (block.type !== "toolCall") return block;
      const id = ids.assign(block.id, message, foreign);
      const result = results.of(block) ?? missingResult(block, options.now ?? Date.now());
      // In the order of the calls: some protocols have no other way to tell which result is whose.
      answers.push({ ...result, toolCallId: id, toolName: block.name });
      return id === block.id ? block : { ...block, id };
    });
    output.push({ ...message, content }, ...answers);
  }
  return output;
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
