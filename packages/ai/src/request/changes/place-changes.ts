/**
 * Places the changes of a conversation: in the list, where the model's family takes them, or at its beginning. What was sent
 * before a change stays as it was in the first case, so that the provider's cache and bound thinking keep it.
 */
import {
  addsToolsAsFinds,
  type ChangeKind,
  changesOf,
  factsOf,
  keepsRemovedTools,
} from "../../catalogue/compat/index.js";
import { clampThinkingLevel, isThinkingLevel } from "../../catalogue/index.js";
import { ConfigError } from "../../errors.js";
import type { RequestNote } from "../../transport/index.js";
import type { Context, Tool } from "../../types/context.js";
import type { Message, SystemMessage } from "../../types/message.js";
import type { Model, ModelThinkingLevel } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import { nameValue } from "../../utils/name-value.js";
import { isSameModel } from "../handoff/same-model.js";
import { restrictChoice } from "./allowed-tools.js";
import { changeText } from "./change-text.js";
import {
  type Beginning,
  beginWith,
  findBase,
  isNote,
  isSameTool,
  isSystemMessage,
  type PlacedMessage,
  type PromptChange,
  PromptReplay,
  replayStated,
  toolChanges,
} from "./system-messages.js";

interface PlaceOptions {
  /** How hard the caller wants the model to think; undefined if its options are those of one api. */
  level: ModelThinkingLevel | undefined;
  /** The changes that the model takes in the list. */
  takes: ReadonlySet<ChangeKind>;
  /** Whether a removed tool stays declared. */
  keepsRemoved: boolean;
  /** The api, whose tool choice leaves out what was removed. */
  api: string;
  /** Whether an added tool is sent as what a search has found. */
  asFinds: boolean;
  /** Whether tools can be added at a position of the list, to a model that thinks as hard as this in the end. */
  canAddAt(messages: readonly Message[], index: number, level: ModelThinkingLevel | undefined): boolean;
  /** Whether a change from one level to another can be said in the list. */
  canChangeLevel(from: ModelThinkingLevel, to: ModelThinkingLevel): boolean;
}

export interface PlacedChanges {
  /** Its system messages hold nothing but a text to send, tools and a level. Its prompt and tools are those of the beginning. */
  context: Context;
  /** The level of the beginning. */
  level: ModelThinkingLevel | undefined;
  notes: RequestNote[];
  /** The tool choice, where it has to leave out tools that are declared but removed. */
  choose?: (given: unknown) => unknown;
}

/** One system message, and what it changes. What holds before and after it is not kept: that would copy the prompt and the tools for each. */
interface Step extends PromptChange {
  /** Its position in the list. */
  index: number;
  message: SystemMessage;
}

/** Names that every provider takes as they are. */
const PLAIN_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/**
 * Returns a context without system messages as the same object.
 *
 * @param level how hard the caller wants the model to think; undefined if its options are those of one api
 */
export function placeChanges(context: Context, model: Model, level: ModelThinkingLevel | undefined): PlacedChanges {
  return place(context, { level, ...takenBy(model) });
}

/** A level can be changed while the model thinks: without thinking, its messages are of another form. */
function takenBy(model: Model): Omit<PlaceOptions, "level"> {
  const asFinds = addsToolsAsFinds(model);
  const thinksAt = (level: ModelThinkingLevel): boolean =>
    level !== "off" && clampThinkingLevel(model, level) !== "off";
  return {
    takes: changesOf(model),
    keepsRemoved: keepsRemovedTools(model),
    api: model.api,
    asFinds,
    canAddAt: asFinds ? hasPlaceForFind(model) : () => true,
    canChangeLevel: (from, to) => model.reasoning && thinksAt(from) && thinksAt(to),
  };
}

/**
 * Claude gets a find as the result of a call that is added to the last response. "When `thinking` is enabled, a final `assistant`
 * message must start with a thinking block": that call goes on with the turn of the response, for a model with a budget.
 */
function hasPlaceForFind(model: Model): PlaceOptions["canAddAt"] {
  const { thinking } = factsOf(model);
  return (messages, index, level) => {
    if (thinking === undefined) return true;
    const last = messages.findLastIndex(({ role }, at) => at < index && role === "assistant");
    if (last < 0 || thinking === "adaptive" || level === "off") return last >= 0;
    const prompt = messages.findLastIndex(({ role }, at) => at < last && role === "user");
    const first = messages.slice(prompt + 1, last + 1).find((message) => message.role === "assistant");
    // The thinking of another model goes to it as a text.
    return first !== undefined && isSameModel(first, model) && first.content[0]?.type === "thinking";
  };
}

function place(context: Context, options: PlaceOptions): PlacedChanges {
  const { messages } = context;
  if (!messages.some(isSystemMessage)) return { context, level: options.level, notes: [] };
  const { steps, start, last, end } = readSteps(context, options);
  const first = messages.findIndex((message) => !isSystemMessage(message));
  const folded = steps.filter(({ index }) => index < first || first === -1).length;
  const says = (kind: ChangeKind): boolean => options.takes.has(kind);
  // With a base the context states what holds now. A hook or a side request may have changed it.
  const isTold = last.systemPrompt === end.systemPrompt;
  const texts = says("text") && isTold ? foldTexts(steps, folded) : steps.length;
  const tools = sameTools(last, end)
    ? foldTools(steps, {
        folded,
        tools: start().tools,
        options,
        canAdd: ({ index }) => options.canAddAt(messages, index, last.level),
      })
    : steps.length;
  const levels = says("thinkingLevel") && last.level === end.level ? foldLevels(steps, folded, options) : steps.length;
  const at = (count: number): Beginning => (count === steps.length ? end : replaySteps(start(), steps.slice(0, count)));
  const declared = options.keepsRemoved ? new Map(at(tools).tools) : undefined;
  const placed = placeSteps(steps, { text: texts, tools, level: levels }, { declared, asFinds: options.asFinds });
  const kept = messages.flatMap((message) => {
    if (!isSystemMessage(message)) return [message];
    const shown = placed.get(message);
    return shown ? [shown] : [];
  });
  const { systemPrompt: _prompt, tools: _tools, ...rest } = context;
  const hasRemoved = tools < steps.length && [...(declared ?? new Map()).keys()].some((name) => !last.tools.has(name));
  return {
    ...(hasRemoved && { choose: (given) => restrictChoice(options.api, [...last.tools.keys()], given) }),
    context: { ...rest, ...beginWith(at(texts).systemPrompt, at(tools).tools), messages: kept },
    level: at(levels).level,
    notes: noteRewrite(messages, steps, { text: texts, tools, level: levels }),
  };
}

/** The system messages that count, what held before the first of them and after the last, and what holds now. */
function readSteps(context: Context, { level }: PlaceOptions) {
  const { systemPrompt, tools, messages } = context;
  const from = findBase(messages);
  const base = (messages[from] as SystemMessage | undefined)?.base; // only system messages have one
  const start = (): PromptReplay =>
    base
      ? new PromptReplay(base.systemPrompt, base.tools, base.thinkingLevel ?? level)
      : new PromptReplay(systemPrompt, tools, level);
  checkStated(messages);
  const state = start();
  const steps: Step[] = [];
  for (let index = Math.max(0, from); index < messages.length; index++) {
    const message = messages[index];
    if (!message || !isSystemMessage(message)) continue;
    // What it changed is not in the list any more; the context states what holds.
    if (!base && isNote(message)) continue;
    steps.push({ index, message, ...state.change(message) });
  }
  const last = state.now();
  return { steps, start, last, end: base ? replayStated(context, level).now() : last };
}

/** What an application in JavaScript, or a hand in a stored list, may have written. The rest was checked with the context. */
function checkStated(messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    if (!isSystemMessage(message)) continue;
    const { thinkingLevel, base }: { thinkingLevel?: unknown; base?: unknown } = message;
    const place = `context.messages[${index}]`;
    if (thinkingLevel !== undefined && !isThinkingLevel(thinkingLevel))
      throw new ConfigError(`${place}.thinkingLevel must be a level, but it is ${nameValue(thinkingLevel)}.`);
    if (base !== undefined && !isBase(base))
      throw new ConfigError(`${place}.base must be { systemPrompt, tools }, but it is ${nameValue(base)}.`);
  }
}

function isBase(base: unknown): boolean {
  if (!isRecord(base) || typeof base["systemPrompt"] !== "string") return false;
  const { tools } = base;
  return Array.isArray(tools) && tools.every((tool) => isRecord(tool) && typeof tool["name"] === "string");
}

function replaySteps(state: PromptReplay, steps: readonly Step[]): Beginning {
  for (const { message } of steps) state.apply(message);
  return state.now();
}

/** The room that replaced prompts have in the list: in characters, or in lengths of the prompt if that is more. */
const MAX_REPLACED = 32_000;
const MAX_TIMES_REPLACED = 4;

/**
 * How many steps are folded into the prompt of the beginning. A prompt that is replaced in every turn, such as one with the time of
 * day, would otherwise fill the window with prompts that no longer hold.
 */
function foldTexts(steps: readonly Step[], folded: number): number {
  let fold = folded;
  let length = 0;
  for (const [position, step] of steps.entries()) {
    const { message } = step;
    if (position < folded || message.systemPrompt === undefined) continue;
    length += changeText(step).length;
    if (length <= Math.max(MAX_REPLACED, MAX_TIMES_REPLACED * message.systemPrompt.length)) continue;
    fold = position + 1;
    length = 0;
  }
  return fold;
}

interface ToolFolding {
  folded: number;
  /** The tools of the beginning. The map is changed. */
  tools: Map<string, Tool>;
  options: PlaceOptions;
  canAdd(step: Step): boolean;
}

/** How many steps are folded into the tools of the beginning: up to the last one that the model does not take in the list. */
function foldTools(steps: readonly Step[], { folded, tools, options, canAdd }: ToolFolding): number {
  let fold = folded;
  const shown = new ShownTools(tools, options);
  for (const [position, step] of steps.entries()) {
    const isSaid = position >= folded && (step.added.length === 0 || canAdd(step)) && shown.take(step);
    shown.note(step);
    if (isSaid) continue;
    fold = Math.max(fold, position + 1);
    shown.begin();
  }
  return fold;
}

/** The tools that a request declares: at its beginning, and in the list. */
class ShownTools {
  readonly #declared: Map<string, Tool>;
  readonly #options: PlaceOptions;
  /** The names of those that are declared, but removed. */
  readonly #removed = new Set<string>();
  /** The names of those that servers run, or that stand in a group. */
  readonly #ofServers = new Set<string>();
  /** The names of those that only the list has. */
  readonly #ofList = new Set<string>();

  /** @param declared what the beginning has; it is changed */
  constructor(declared: Map<string, Tool>, options: PlaceOptions) {
    this.#declared = declared;
    this.#options = options;
    for (const [name, { server, namespace }] of declared) if (server || namespace) this.#ofServers.add(name);
  }

  /** Lets the beginning have what holds now. */
  begin(): void {
    for (const name of this.#removed) {
      this.#declared.delete(name);
      this.#ofServers.delete(name);
    }
    this.#removed.clear();
    this.#ofList.clear();
  }

  /** Follows a step. */
  note({ added, removed }: Step): void {
    for (const name of removed) this.#removed.add(name);
    for (const tool of added) {
      const { name, server, namespace } = tool;
      this.#removed.delete(name);
      this.#declared.set(name, tool);
      if (server || namespace) this.#ofServers.add(name);
      else this.#ofServers.delete(name);
    }
  }

  /** Whether the list, and the choice of tools, can say a step, which is noted next. */
  take(step: Step): boolean {
    const { takes, keepsRemoved } = this.#options;
    const { added, removed } = step;
    if (removed.length > 0 && (!takes.has("toolsRemoved") || !removed.every((name) => PLAIN_NAME.test(name))))
      return false;
    const fresh = added.filter((tool) => !keepsRemoved || !isShown(tool, this.#declared));
    if (fresh.some((tool) => !this.#canAdd(tool, step))) return false;
    if (!keepsRemoved) return true;
    for (const { name } of fresh) this.#ofList.add(name);
    // No source says whether a choice of tools may name one that only the list or a group has; tools of servers have no name in it.
    const back = new Set(added.map(({ name }) => name));
    const gone = new Set([...this.#removed, ...removed].filter((name) => !back.has(name)));
    return gone.size === 0 || (this.#ofServers.size === 0 && [...this.#ofList].every((name) => gone.has(name)));
  }

  #canAdd(tool: Tool, { replaced, hadTools }: Step): boolean {
    const { takes, keepsRemoved } = this.#options;
    const isReplaced = keepsRemoved ? this.#declared.has(tool.name) : replaced.has(tool.name);
    if (!takes.has("toolsAdded") || (isReplaced && (keepsRemoved || !takes.has("toolsRemoved")))) return false;
    // A request needs a tool at its beginning, and the rest needs what only the beginning has.
    return hadTools && !tool.server && !tool.cache && !tool.strict && !hasFields(tool) && hasPlainNames(tool);
  }
}

function isShown(tool: Tool, declared: ReadonlyMap<string, Tool>): boolean {
  const found = declared.get(tool.name);
  return found !== undefined && isSameTool(found, tool);
}

/** Whether the tool has fields that only the beginning has. */
function hasFields({ namespace, callers, output }: Tool): boolean {
  return (namespace ?? callers ?? output) !== undefined;
}

/** Whether the tool is sent under its own names. Those that a provider refuses are changed for all tools at once. */
function hasPlainNames({ name, parameters }: Tool): boolean {
  // A caller in JavaScript may have left out the parameters.
  const properties: unknown = isRecord(parameters) ? parameters["properties"] : undefined;
  return [name, ...Object.keys(properties ?? {})].every((one) => PLAIN_NAME.test(one));
}

function foldLevels(steps: readonly Step[], folded: number, { canChangeLevel }: PlaceOptions): number {
  const last = steps.findLastIndex(({ levels: [from, to] }) => {
    if (from === to) return false;
    return from === undefined || to === undefined || !canChangeLevel(from, to);
  });
  return Math.max(folded, last + 1);
}

function sameTools(one: Beginning, other: Beginning): boolean {
  const { added, removed } = toolChanges(one, other);
  return added.length + removed.length === 0;
}

interface Parts<TPart> {
  text: TPart;
  tools: TPart;
  level: TPart;
}

interface Shown {
  /** The tools that are declared, where removed ones stay so. */
  declared: Map<string, Tool> | undefined;
  asFinds: boolean;
}

/** Each message without what leaves the list. Its first steps are folded. */
function placeSteps(steps: readonly Step[], folds: Parts<number>, shown: Shown): Map<Message, Message | undefined> {
  const placed = new Map<Message, Message | undefined>();
  for (const [position, step] of steps.entries()) {
    const stays = { text: position >= folds.text, tools: position >= folds.tools, level: position >= folds.level };
    placed.set(step.message, toPlaced(step, stays, shown));
    // Where removed tools stay declared, one that is declared needs no message to come back.
    if (stays.tools) for (const tool of step.added) shown.declared?.set(tool.name, tool);
  }
  return placed;
}

/** The message without what leaves the list; undefined if nothing stays. */
function toPlaced(step: Step, stays: Parts<boolean>, { declared, asFinds }: Shown): PlacedMessage | undefined {
  const { message, levels, ...changed } = step;
  const content = stays.text ? changeText(step) : "";
  const added = stays.tools ? changed.added.filter((tool) => !(declared && isShown(tool, declared))) : [];
  const removed = stays.tools && !declared ? changed.removed : [];
  const [from, to] = levels;
  const level = stays.level && from !== to ? to : undefined;
  if (content.trim() === "" && added.length + removed.length === 0 && level === undefined) return undefined;
  return {
    role: "system",
    content,
    ...(added.length > 0 && { toolsAdded: added, ...(asFinds && { asFinds }) }),
    ...(removed.length > 0 && { toolsRemoved: removed.map((name) => ({ name })) }),
    ...(level !== undefined && { thinkingLevel: level }),
    timestamp: message.timestamp,
  };
}

/** Says what changed at the beginning since the last response, and how many tokens the provider reads anew for it. */
function noteRewrite(messages: readonly Message[], steps: readonly Step[], folds: Parts<number>): RequestNote[] {
  const last = messages.findLastIndex((message) => message.role === "assistant" && message.usage?.totalTokens > 0);
  const response = messages[last];
  const notes: RequestNote[] = [];
  if (response?.role !== "assistant") return notes;
  const rewrites = (count: number, differs: (step: Step) => boolean): boolean =>
    steps.some((step, position) => step.index > last && position < count && differs(step));
  const { text, tools, level } = folds;
  const changes = [
    ...(rewrites(text, ({ changesPrompt }) => changesPrompt) ? ["systemPrompt"] : []),
    ...(rewrites(tools, ({ added, removed }) => added.length + removed.length > 0) ? ["tools"] : []),
    ...(rewrites(level, ({ levels: [from, to] }) => from !== to) ? ["thinkingLevel"] : []),
  ];
  const tokens = response.usage.contextTokens ?? response.usage.totalTokens;
  if (changes.length > 0) notes.push({ type: "prompt_rewritten", details: { changes, tokens } });
  return notes;
}
