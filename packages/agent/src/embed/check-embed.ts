/** Checks what a product passes: a callback under another name would never be called. */
import { type Checks, checkOptions, mayBeAnything, mustBeFunction, mustBeOneOf, throwWrong } from "../checks.js";
import type { EmbedOptions } from "./options.js";

const OPTIONS: Checks<keyof EmbedOptions> = {
  blockReplyBreak: mustBeOneOf(["text_end", "message_end"]),
  chunker: mayBeAnything,
  tags: mayBeAnything,
  directives: mayBeAnything,
  reasoning: mustBeOneOf(["on", "off", "stream"]),
  accumulate: mustBeOneOf(["message", "contentIndex"]),
  onAssistantMessageStart: mustBeFunction,
  onPartialReply: mustBeFunction,
  onBlockReply: mustBeFunction,
  onReasoning: mustBeFunction,
  classifyOutbound: mustBeFunction,
  dedupe: mayBeAnything,
  describeTool: mustBeFunction,
  sanitizeToolResult: mustBeFunction,
  onToolStart: mustBeFunction,
  onToolUpdate: mustBeFunction,
  onToolEnd: mustBeFunction,
  afterToolCall: mustBeFunction,
  onAgentStart: mustBeFunction,
  onPause: mustBeFunction,
  onAgentEnd: mustBeFunction,
  onCompactionStart: mustBeFunction,
  onCompactionEnd: mustBeFunction,
  delivery: mustBeOneOf(["concurrent", "serial"]),
  // Checked where it is used.
  deliveryTimeoutMs: mayBeAnything,
  onCallbackError: mustBeFunction,
  log: mayBeAnything,
  now: mustBeFunction,
};

/** @throws TypeError for a source without `subscribe`, and for an option that is misspelt or of a wrong type */
export function checkEmbed(source: unknown, options: object): void {
  if (typeof Object(source).subscribe !== "function") throwWrong("The source of subscribeEmbedded", "an agent", source);
  checkOptions(options, OPTIONS);
}
