/** Keeps a conversation within the window of its model. */

import { isContextOverflow } from "pi-ai/count";
import type { WrapModelCallHook } from "../types/config.js";
import type { AgentMessage } from "../types/message.js";
import type { CompactOptions } from "./compact-options.js";
import type { CompactionMessage } from "./compaction-message.js";
import { Compactor } from "./compactor.js";

/** A `transformContext` hook that compacts one conversation, and what belongs to it. */
export interface Compaction {
  /** The hook `transformContext`. Never rejects because of a failed summary; the conversation then stays as it is. */
  (
    messages: AgentMessage[],
    signal?: AbortSignal,
    add?: (message: AgentMessage) => Promise<void>,
  ): Promise<AgentMessage[]>;
  /** The hook `wrapModelCall`: after an overflow error, compacts the conversation once and sends it again. */
  wrapModelCall: WrapModelCallHook;
  /**
   * Compacts a conversation now, whatever its size. Changes nothing: add the record to the end of the messages.
   *
   * @param options `prompt` replaces the instructions for this summary
   * @returns the record; undefined if nothing could be freed or the summary failed, see `onEvent`
   */
  compact(
    messages: readonly AgentMessage[],
    options?: { signal?: AbortSignal; prompt?: string },
  ): Promise<CompactionMessage | undefined>;
}

/**
 * Keeps a conversation within the window of its model. At `at` of the window, old tool results, images and files become
 * notes; if that is not enough, a model summarises the older messages. The transcript itself loses nothing: a record is
 * added to it, see {@link CompactionMessage}, and until the next compaction every request begins with the same messages.
 * Use one compaction for each agent.
 *
 * @example
 * const compaction = compact({ model, at: 0.8, keep: 20_000 });
 * const agent = new Agent({
 *   initialState: { model },
 *   transformContext: compaction,
 *   wrapModelCall: compaction.wrapModelCall,
 * });
 *
 * @throws RangeError if `at` or `keep` is out of range
 */
export function compact(options: CompactOptions): Compaction {
  const compactor = new Compactor(options);
  let latest: AgentMessage[] | undefined;
  const hook = (
    messages: AgentMessage[],
    signal?: AbortSignal,
    add?: (message: AgentMessage) => Promise<void>,
  ): Promise<AgentMessage[]> => {
    latest = messages;
    return compactor.transform(messages, signal, add);
  };
  const wrapModelCall: WrapModelCallHook = async (request, send, signal) => {
    const response = await send(request);
    const overflowed = response.stopReason === "error" && response.content.length === 0 && isContextOverflow(response);
    if (!overflowed || !latest || signal?.aborted) return response;
    const messages = await compactor.recover(latest, signal);
    return messages ? send({ ...request, context: { ...request.context, messages } }) : response;
  };
  return Object.assign(hook, {
    wrapModelCall,
    compact: (messages: readonly AgentMessage[], more?: { signal?: AbortSignal; prompt?: string }) =>
      compactor.compact(messages, "manual", more),
  });
}
