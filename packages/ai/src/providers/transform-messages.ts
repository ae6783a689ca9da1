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
  for (const [position, message] of messages.entries()) {
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
      const result = results.take(block.id, position) ?? missingResult(block, options.now ?? Date.now());
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

/** Finds the results of a call, each to be used once; those of calls that are gone are never asked for. */
class ResultIndex {
  readonly #byId = new Map<string, { position: number; result: ToolResultMessage }[]>();

  constructor(messages: readonly Message[]) {
    for (const [position, message] of messages.entries()) {
      if (message.role !== "toolResult") continue;
      const list = this.#byId.get(message.toolCallId);
      if (list) list.push({ position, result: message });
      else this.#byId.set(message.toolCallId, [{ position, result: message }]);
    }
  }

  /** The first unused result after the position of the call, however late it came. */
  take(id: string, after: number): ToolResultMessage | undefined {
    const list = this.#byId.get(id);
    const index = list?.findIndex((entry) => entry.position > after) ?? -1;
    return index === -1 ? undefined : list?.splice(index, 1)[0]?.result;
  }
}

/** Gives each call an id that the target accepts and that no other call of the request has. */
class IdTable {
  readonly #rule: ToolCallIdRule | undefined;
  readonly #used = new Set<string>();

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
    for (let count = 0; ; count++) {
      const suffix = shortHash(count === 0 ? id : `${id}#${count}`);
      const candidate = `${wanted.slice(0, Math.max(0, maxLength - suffix.length))}${suffix}`.slice(0, maxLength);
      if (!this.#used.has(candidate)) return candidate;
    }
  }
}

/** Ids of the Responses API are pairs, of which only the first part tells calls apart. */
function stemOf(id: string): string {
  const bar = id.indexOf("|");
  return bar === -1 ? id : id.slice(0, bar);
}
