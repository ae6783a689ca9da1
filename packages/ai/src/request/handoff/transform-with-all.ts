/** The preparation of a conversation for callers outside of a request, which cannot wait for code to be loaded. */
import type { Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import * as content from "./foreign-content.js";
import { foreignContent } from "./late-content.js";
import { type TransformOptions, transformMessages as transform } from "./transform-messages.js";

/**
 * Returns the conversation as the target model may see it: without failed responses and foreign signatures, with
 * exactly one result right after each tool call, and with ids that the target accepts. Messages that the target's
 * provider has compacted are omitted. The input is never changed.
 */
export function transformMessages(
  messages: readonly Message[],
  model: Model,
  options: TransformOptions = {},
): Message[] {
  foreignContent.use(content);
  return transform(messages, model, options);
}
