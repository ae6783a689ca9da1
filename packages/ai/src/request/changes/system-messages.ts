/** Replays the system messages of a conversation: what its prompt, its tools and its level are after each of them. */

import type { Context, Tool } from "../../types/context.js";
import type { Message, SystemMessage } from "../../types/message.js";
import type { ModelThinkingLevel } from "../../types/model.js";
import { readParameters } from "../../utils/library-schema.js";

/** The prompt, the tools and the level after some messages of the conversation. */
export interface Beginning {
  /** The whole of it: contents and sections. */
  systemPrompt: string;
  /** By name. */
  tools: ReadonlyMap<string, Tool>;
  /** Undefined: not known. */
  level: ModelThinkingLevel | undefined;
}

/** A system message as it is sent. */
export interface PlacedMessage extends SystemMessage {
  /** Its tools are what a search of the application has found. */
  asFinds?: true;
}

/** Whether the tools of a message are such finds. */
export function addsFinds(message: PlacedMessage | Message): message is PlacedMessage {
  return "asFinds" in message;
}

/** The changes of one message. */
export interface PromptChange {
  /** The prompt before a message that replaces it; empty for any other. */
  earlier: string;
  /** Whether the prompt reads differently afterwards. */
  changesPrompt: boolean;
  /** The sections that it has not left as they were. */
  patches: readonly (readonly [name: string, text: string | null])[];
  /** The tools that are new, or differ from those of their names. */
  added: Tool[];
  /** The names of the tools that are gone. */
  removed: string[];
  /** The names of the tools that one of `added` replaces. */
  replaced: ReadonlySet<string>;
  /** Whether there was a tool before. */
  hadTools: boolean;
  /** The level of thinking before and after. Undefined: not known. */
  levels: readonly [before: ModelThinkingLevel | undefined, after: ModelThinkingLevel | undefined];
}

/** The parts of a system prompt. */
export class PromptReplay {
  #texts: string[];
  readonly #sections = new Map<string, string>();
  /** The tools so far, by name. */
  readonly tools: Map<string, Tool> = new Map();
  /** Undefined: not known. */
  level: ModelThinkingLevel | undefined;

  constructor(systemPrompt = "", tools: readonly Tool[] = [], level?: ModelThinkingLevel) {
    this.#texts = [systemPrompt];
    for (const tool of tools) this.tools.set(tool.name, tool);
    this.level = level;
  }

  /** The state after the messages so far. */
  now(): Beginning {
    return { systemPrompt: this.systemPrompt, tools: new Map(this.tools), level: this.level };
  }

  /** The prompt so far: contents and sections. */
  get systemPrompt(): string {
    return [...this.#texts, ...this.#sections.values()].filter((text) => text !== "").join("\n\n");
  }

  /** Applies the next message. */
  apply(message: Omit<SystemMessage, "role" | "timestamp">): void {
    if (message.systemPrompt !== undefined) {
      this.#texts = [message.systemPrompt];
      this.#sections.clear();
    }
    this.#texts.push(textOfSystem(message));
    for (const [name, text] of Object.entries(message.sections ?? {})) {
      if (text === null) this.#sections.delete(name);
      else this.#sections.set(name, text);
    }
    for (const { name } of message.toolsRemoved ?? []) this.tools.delete(name);
    for (const tool of message.toolsAdded ?? []) this.tools.set(tool.name, tool);
    if (message.thinkingLevel !== undefined) this.level = message.thinkingLevel;
  }

  /** Applies the next message, and says what it has changed. Its work is that of the message, whatever came before. */
  change(message: SystemMessage): PromptChange {
    const { systemPrompt, sections = {}, toolsAdded = [], toolsRemoved = [] } = message;
    const earlier = systemPrompt === undefined ? "" : this.systemPrompt;
    const adds = textOfSystem(message) !== "";
    // A new prompt has no sections.
    const textOf = (name: string): string => (systemPrompt === undefined && this.#sections.get(name)) || "";
    const patches = Object.entries(sections).filter(([name, text]) => textOf(name) !== (text ?? ""));
    const before = new Map([...toolsRemoved, ...toolsAdded].map(({ name }) => [name, this.tools.get(name)]));
    const [hadTools, level] = [this.tools.size > 0, this.level];
    this.apply(message);
    const changed = [...before].filter(([name, tool]) => !isSameOrNone(tool, this.tools.get(name)));
    return {
      earlier,
      changesPrompt: systemPrompt === undefined ? adds || patches.length > 0 : this.systemPrompt !== earlier,
      patches,
      added: changed.flatMap(([name]) => this.tools.get(name) ?? []),
      removed: changed.flatMap(([name]) => (this.tools.has(name) ? [] : [name])),
      replaced: new Set(changed.flatMap(([name, tool]) => (tool ? [name] : []))),
      hadTools,
      levels: [level, this.level],
    };
  }
}

/** The system prompt after all messages: their contents and sections, and what a {@link SystemMessage.base} states. */
export function getCurrentSystemPrompt(messages: readonly { role: string }[]): string {
  return replaySystemMessages(messages).systemPrompt;
}

/** The tools that the model may call after all messages, in the order in which they were added. */
export function getCurrentTools(messages: readonly { role: string }[]): Tool[] {
  return [...replaySystemMessages(messages).tools.values()];
}

/** Replays a list. What precedes the last {@link SystemMessage.base} is stated by it. */
export function replaySystemMessages(messages: readonly { role: string }[]): PromptReplay {
  const start = findBase(messages);
  const { systemPrompt, tools, thinkingLevel } = baseOf(messages[start]) ?? {};
  const state = new PromptReplay(systemPrompt, tools, thinkingLevel);
  for (let index = Math.max(0, start); index < messages.length; index++) {
    const message = messages[index];
    if (message && isSystemMessage(message)) state.apply(message);
  }
  return state;
}

/** The same context for a model, or a server, that takes no system messages: its prompt and its tools are what holds now. */
export function collapseSystemMessages(context: Context): Context {
  if (!context.messages.some(isSystemMessage)) return context;
  const { systemPrompt: _prompt, tools: _tools, messages, ...rest } = context;
  const now = replayStated(context).now();
  return {
    ...rest,
    ...beginWith(now.systemPrompt, now.tools),
    messages: messages.filter((message) => !isSystemMessage(message)),
  };
}

/** The fields of a context; without those that are empty. */
export function beginWith(systemPrompt: string, tools: Beginning["tools"]): Pick<Context, "systemPrompt" | "tools"> {
  return { ...(systemPrompt !== "" && { systemPrompt }), ...(tools.size > 0 && { tools: [...tools.values()] }) };
}

/**
 * The prompt and tools of a context, and what its messages add. With a base, the notes of an agent are in what it states; without
 * one, what they changed is not in the list any more.
 */
export function replayStated({ systemPrompt, tools, messages }: Context, level?: ModelThinkingLevel): PromptReplay {
  const state = new PromptReplay(systemPrompt, tools, level);
  for (const message of messages)
    if (isSystemMessage(message) && !message.base && !isNote(message)) state.apply(message);
  return state;
}

/** The position of the last message with a base; -1 if there is none. */
export function findBase(messages: readonly { role: string }[]): number {
  return messages.findLastIndex((message) => baseOf(message) !== undefined);
}

function baseOf(message: { role: string } | undefined): SystemMessage["base"] {
  return message && isSystemMessage(message) ? message.base : undefined;
}

export function isSystemMessage(message: { role: string }): message is SystemMessage {
  return message.role === "system";
}

/** The `origin` of the messages in which an agent notes what has changed. */
export const NOTE_ORIGIN = "agent";

/** Whether an agent has written a message on its own. It holds the system prompt, which a page must not get. */
export function isNote(message: { role: string }): message is SystemMessage {
  return isSystemMessage(message) && message.origin === NOTE_ORIGIN;
}

/** The text of the content, whose blocks are paragraphs. */
export function textOfSystem({ content }: Pick<SystemMessage, "content">): string {
  return typeof content === "string" ? content : content.map(({ text }) => text).join("\n\n");
}

/** Whether two tools are the same to a model. */
export function isSameTool(one: Tool, other: Tool): boolean {
  return one === other || declarationOf(one) === declarationOf(other);
}

function isSameOrNone(one: Tool | undefined, other: Tool | undefined): boolean {
  return one && other ? isSameTool(one, other) : one === other;
}

/** The differences, as the fields of a message; undefined if there are none. The order of tools does not count. */
export function changesSince(told: Beginning, now: Beginning): Partial<SystemMessage> | undefined {
  const { added, removed } = toolChanges(told, now);
  const changes = {
    ...(told.systemPrompt !== now.systemPrompt && { systemPrompt: now.systemPrompt }),
    ...(added.length > 0 && { toolsAdded: declareTools(added) }),
    ...(removed.length > 0 && { toolsRemoved: removed.map((name) => ({ name })) }),
    ...(now.level !== undefined && told.level !== now.level && { thinkingLevel: now.level }),
  };
  return Object.keys(changes).length > 0 ? changes : undefined;
}

export function toolChanges(before: Beginning, after: Beginning): { added: Tool[]; removed: string[] } {
  const added = [...after.tools.values()].filter((tool) => {
    const earlier = before.tools.get(tool.name);
    return !earlier || !isSameTool(earlier, tool);
  });
  return { added, removed: [...before.tools.keys()].filter((name) => !after.tools.has(name)) };
}

/** The tools as plain data, to be stored. */
export function declareTools(tools: Iterable<Tool>): Tool[] {
  return Array.from(tools, (tool): Tool => JSON.parse(declarationOf(tool)));
}

/** Whether a message adds tools. */
export function addsTools(message: Message): message is SystemMessage & { toolsAdded: Tool[] } {
  return message.role === "system" && message.toolsAdded !== undefined;
}

/** The fields of a tool that a model sees, and those that decide how it is sent. */
function toDeclaration(tool: Tool): Tool {
  const { name, description, strict, once, cache, loading, examples, namespace, callers, output, server } = tool;
  return {
    name,
    description,
    parameters: readParameters(tool),
    ...(strict !== undefined && { strict }),
    ...(once !== undefined && { once }),
    ...(cache !== undefined && { cache }),
    ...(loading !== undefined && { loading }),
    ...(examples !== undefined && { examples }),
    ...(namespace !== undefined && { namespace }),
    ...(callers !== undefined && { callers }),
    ...(output !== undefined && { output }),
    ...(server !== undefined && { server }),
  };
}

/** Schemas are long, and compared before each request. */
const declarations = new WeakMap<Tool, string>();

function declarationOf(tool: Tool): string {
  const known = declarations.get(tool);
  if (known !== undefined) return known;
  const text = JSON.stringify(toDeclaration(tool));
  declarations.set(tool, text);
  return text;
}
