/**
 * The default of `convertToLlm`. It processes each message once per run, not once per request, so that a turn costs the same in a
 * long conversation as in a short one.
 */
import type { Message } from "pi-ai";
import { ConfigError, isNote, isRecord, nameValue, PromptReplay, roleMeant } from "pi-ai/call";
import { withoutMarks } from "../pause/index.js";
import type { AgentLoopConfig, AgentLoopHooks } from "../types/config.js";
import type { AgentMessage } from "../types/message.js";

/** Drops messages that a model cannot read. A run with this conversion uses {@link DefaultConversion}, which gives the same. */
export function keepLlmMessages(messages: readonly AgentMessage[]): Message[] {
  return messages.flatMap((message) => (isLlmMessage(message) && withoutMarks(message)) || []);
}

/** The texts of an answer that was aborted, as an answer. Its thinking may lack the signature, and its calls have no results. */
export function toKeptPartial<TMessage extends Message>(message: TMessage): TMessage {
  if (message?.role !== "assistant" || message.stopReason !== "aborted") return message;
  const { errorMessage: _text, error: _facts, ...answer } = message;
  const texts = message.content.filter((block) => block.type === "text" && block.text.trim() !== "");
  // An item of the provider that was cut off must not be sent back as one of its own.
  const content = texts.map((block) => ({ type: "text", text: block.type === "text" ? block.text : "" }));
  // It is the same kind of message, with fewer fields.
  return content.length > 0 ? ({ ...answer, content, stopReason: "stop" } as unknown as TMessage) : message;
}

function isLlmMessage(message: AgentMessage): message is Message {
  return message.role === "user" || message.role === "assistant" || message.role === "toolResult" || isNote(message);
}

/**
 * Which hooks get the run's own array of messages, and may edit messages that were converted before. A record, so that a
 * new hook fails to compile here.
 */
const SEES_MESSAGES: Readonly<Record<keyof AgentLoopHooks, boolean>> = {
  transformContext: true,
  getApiKey: false,
  shouldStopAfterTurn: true,
  prepareNextTurn: true,
  beforeToolCall: true,
  wrapToolCall: false,
  afterToolCall: true,
  wrapModelCall: false,
};

/** The conversion of one run. It remembers what it converted unless a hook can edit the conversation. */
export class DefaultConversion {
  readonly #canRemember: boolean;
  readonly #keepsPartial: boolean;
  #source: readonly AgentMessage[] | undefined;
  #seen = 0;
  #kept: Message[] = [];
  #instructions = new PromptReplay();

  constructor(config: AgentLoopConfig) {
    // Object.keys has no narrower type; the record names exactly these keys.
    const hooks = Object.keys(SEES_MESSAGES) as (keyof AgentLoopHooks)[];
    this.#keepsPartial = config.keepPartial === "text";
    this.#canRemember = !hooks.some((name) => SEES_MESSAGES[name] && config[name]);
  }

  /** The returned array grows with the next request; see `createLlmContext`. */
  convert(messages: readonly AgentMessage[]): Message[] {
    if (!this.#canRemember || this.#source !== messages) {
      this.#source = messages;
      this.#seen = 0;
      this.#kept = [];
      this.#instructions = new PromptReplay();
    }
    for (; this.#seen < messages.length; this.#seen++) {
      const message = messages[this.#seen];
      if (!message) continue;
      if (isLlmMessage(message)) this.#kept.push(this.#keepsPartial ? toKeptPartial(message) : message);
      else readInstructions(message, this.#seen, this.#instructions);
    }
    return this.#kept;
  }

  /** The system prompt that a request with these messages has. */
  promptOf(systemPrompt: string, messages: readonly AgentMessage[]): string {
    const replay = new PromptReplay(systemPrompt);
    for (const [index, message] of messages.entries())
      if (!isLlmMessage(message)) readInstructions(message, index, replay);
    return replay.systemPrompt;
  }

  /** The system prompt with the texts of the system messages that {@link DefaultConversion.convert} found. */
  addInstructions(systemPrompt: string): string {
    return [systemPrompt, this.#instructions.systemPrompt].filter((text) => text !== "").join("\n\n");
  }
}

/**
 * Applies a system message of a history of pi 1.x, or of another library, to the prompt. Only its texts count.
 *
 * @throws ConfigError if a section is not a string: the prompt would silently lack a rule
 */
function readInstructions(message: AgentMessage, index: number, prompt: PromptReplay): void {
  // An application's own message, or one from plain JavaScript, may have any shape.
  const { role, content, sections }: { role?: unknown; content?: unknown; sections?: unknown } = Object(message);
  const meant = roleMeant(role);
  if (typeof role !== "string")
    throw new ConfigError(`context.messages[${index}] must be a message, but it is ${nameValue(message)}.`);
  // No model would read it. A role of the application's own has its own `convertToLlm`, or is left out.
  if (meant !== undefined)
    throw new ConfigError(
      `context.messages[${index}] has the role ${nameValue(role)}. Write ${JSON.stringify(meant)}.`,
    );
  if (role !== "system" && role !== "developer") return;
  const texts = Array.isArray(content) ? content.map((block) => block?.text) : [content];
  const given: Record<string, unknown> = isRecord(sections) ? sections : {};
  for (const [name, text] of Object.entries(given))
    if (!isSection(text))
      throw new ConfigError(
        `context.messages[${index}].sections[${JSON.stringify(name)}] must be a text or null, but it is ${nameValue(text)}.`,
      );
  prompt.apply({
    content: texts.filter((text) => typeof text === "string").join("\n\n"),
    sections: given as Record<string, string | null>, // each was checked
  });
}

function isSection(text: unknown): boolean {
  return typeof text === "string" || text === null;
}
