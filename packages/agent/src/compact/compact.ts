/** Keeps a conversation within the window of its model. */

import { isContextOverflow } from "pi-ai/count";
import type { HookRun, WrapModelCallHook } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import type { CompactOptions } from "./compact-options.js";
import type { CompactionMessage } from "./compaction-message.js";
import { Compactor } from "./compactor.js";

/** The `transformContext` hook that compacts one conversation, with a hook and a function as its properties. */
export interface Compaction {
  /**
   * The hook `transformContext`. Returns the messages of the next request. A failed summary does not reject: the
   * conversation then stays as it is, and `onEvent` receives the reason.
   */
  (
    messages: AgentMessage[],
    signal?: AbortSignal,
    add?: (message: AgentMessage) => Promise<void>,
    run?: HookRun,
  ): Promise<AgentMessage[]>;
  /**
   * The hook `wrapModelCall`. If a request is rejected as too long, compacts the conversation and sends it once more: the
   * request is built again, through the agent's `transformContext` and `convertToLlm`. A hook of yours that calls this one
   * passes on all four parameters.
   */
  wrapModelCall: WrapModelCallHook;
  /**
   * Compacts a conversation now, whatever its size. Does not change it: add the record to the end of the messages.
   *
   * @param options `prompt` replaces the instructions for this summary; `signal` aborts it
   * @returns the record; undefined if nothing could be freed or the summary failed: `onEvent` receives the reason
   */
  compact(
    messages: readonly AgentMessage[],
    options?: { signal?: AbortSignal; prompt?: string },
  ): Promise<CompactionMessage | undefined>;
}

/**
 * Keeps a conversation within the window of its model. When it exceeds the share `at` of the window, notes replace old tool
 * results, images and files; if that is not enough, a model summarises the older messages. The transcript loses nothing: a
 * {@link CompactionMessage} is added to it. Until the next compaction, all requests begin with the same messages, so the
 * provider's cache stays valid. Create one compaction for each agent.
 *
 * @example
 * const compaction = compact({ model, at: 0.8, keep: 20_000 });
 * const agent = new Agent({
 *   initialState: { model },
 *   transformContext: compaction,
 *   wrapModelCall: compaction.wrapModelCall,
 * });
 *
 * @throws TypeError for an option of a wrong type or a missing model; RangeError for a number out of range or a model without
 *   a window
 */
export function compact(options: CompactOptions): Compaction {
  const compactor = new Compactor(options);
  let latest: AgentMessage[] | undefined;
  let latestRun: HookRun | undefined;
  const hook = async (
    messages: AgentMessage[],
    signal?: AbortSignal,
    add?: (message: AgentMessage) => Promise<void>,
    run?: HookRun,
  ): Promise<AgentMessage[]> => {
    // The messages to summarise pass the hooks of the application, among them this one.
    if (compactor.isConverting) return messages;
    latest = messages;
    latestRun = run ?? latestRun;
    return compactor.transform(messages, { signal, add, run });
  };
  const wrapModelCall: WrapModelCallHook = async (request, send, signal, run = latestRun) => {
    const response = await send(request);
    // Some servers respond with nothing instead of an error.
    const overflowed = response.content.length === 0 && isContextOverflow(response, request.model.contextWindow);
    if (!overflowed || run?.isSide || !latest || signal?.aborted) return response;
    if (!(await compactor.recover(latest, { signal, run })) || !run) return response;
    const { context } = await run.prepare();
    return send({ ...request, context: { ...request.context, messages: context.messages } });
  };
  return Object.assign(hook, {
    wrapModelCall,
    compact: (messages: readonly AgentMessage[], more?: { signal?: AbortSignal; prompt?: string }) =>
      compactor.compact(messages, "manual", more),
  });
}
