/** Checks what a product passes: a callback under another name would never be called. */
import { type Checks, checkOptions, isAnything, isFunction, isOneOf, throwWrong } from "../checks.js";
import type { EmbedOptions } from "./options.js";

const OPTIONS: Checks<keyof EmbedOptions> = {
  blockReplyBreak: isOneOf(["text_end", "message_end"]),
  chunker: isAnything,
  tags: isAnything,
  directives: isAnything,
  reasoning: isOneOf(["on", "off", "stream"]),
  accumulate: isOneOf(["message", "contentIndex"]),
  onAssistantMessageStart: isFunction,
  onPartialReply: isFunction,
  onBlockReply: isFunction,
  onReasoning: isFunction,
  classifyOutbound: isFunction,
  dedupe: isAnything,
  describeTool: isFunction,
  sanitizeToolResult: isFunction,
  onToolStart: isFunction,
  onToolUpdate: isFunction,
  onToolEnd: isFunction,
  afterToolCall: isFunction,
  onAgentStart: isFunction,
  onPause: isFunction,
  onAgentEnd: isFunction,
  onCompactionStart: isFunction,
  onCompactionEnd: isFunction,
  delivery: isOneOf(["concurrent", "serial"]),
  // Checked where it is used.
  deliveryTimeoutMs: isAnything,
  onCallbackError: isFunction,
  log: isAnything,
  now: isFunction,
};

/** @throws TypeError for a source without `subscribe`, and for an option that is misspelt or of a wrong type */
export function checkEmbed(source: unknown, options: object): void {
  if (typeof Object(source).subscribe !== "function") throwWrong("The source of subscribeEmbedded", "an agent", source);
  checkOptions(options, OPTIONS);
}
