/** Keeps conversations within the window of their model: the middleware. */
import type { Message, Model } from "pi-ai";
import { isContextOverflow } from "pi-ai/count";
import { isMark } from "../../pause/index.js";
import type { StreamFn } from "../../types/hooks.js";
import type { AgentMessage } from "../../types/message.js";
import type { AgentMiddleware, MiddlewareRun, RunHooks } from "../../types/middleware.js";
import {
  type CompactOptions,
  checkCompactOptions,
  checkManualOptions,
  checkMessages,
  type ManualCompactOptions,
} from "./compact-options.js";
import { Compactor, type CompactorMemory, createMemory } from "./compactor.js";
import { buildView, type CompactionMessage, findPlaces, findRecord } from "./context-view.js";

/** The middleware that keeps conversations within their window. */
export interface Compaction extends AgentMiddleware {
  /**
   * Compacts a conversation now, whatever its size, outside of a run. Does not change it: add the record to the end of the
   * messages. A failed summary does not reject: `onEvent` receives the reason.
   *
   * @param options the model and, if it is not streamed by pi-ai with a key of the environment, how requests are sent.
   *   `prompt` and `requestOptions` come before those of the middleware
   * @returns the record; undefined if nothing could be freed or the summary failed
   * @throws TypeError for options without a model
   */
  compact(messages: readonly AgentMessage[], options: ManualCompactOptions): Promise<CompactionMessage | undefined>;
}

/**
 * Keeps conversations within the window of their model. When one exceeds the share `at` of the window, notes replace old tool
 * results, images and files; if that is not enough, a model summarises the older messages. If a request is rejected as too
 * long nevertheless, the conversation is compacted and the request is built again. The transcript loses nothing: a
 * {@link CompactionMessage} is added to it. Until the next compaction, all requests begin with the same messages, so the
 * provider's cache stays valid.
 *
 * Model, key, headers and `convertToLlm` are those of the run. The requests for a summary pass through all other middleware,
 * and the messages in them through the others' `transformContext`. A failed summary leaves the conversation as it is, and
 * `onEvent` receives the reason. One `compact()` can serve several agents.
 *
 * @example
 * const agent = new Agent({ initialState: { model }, middleware: [compact({ at: 0.8, keep: 20_000 })] });
 *
 * @throws TypeError for an option of a wrong type; RangeError for a number out of range or a model without a window. A run
 *   whose model has no window ends with an error message
 */
export function compact(options: CompactOptions = {}): Compaction {
  checkCompactOptions(options);
  const memory: CompactorMemory = createMemory();
  return {
    name: "compact",
    begin: (run) => begin(run, options, memory),
    compact: async (messages, manual) => {
      checkMessages(messages);
      checkManualOptions(manual);
      return compactByHand(messages, { options, manual, memory });
    },
  };
}

/** The hooks of one run. */
function begin(run: MiddlewareRun, options: CompactOptions, memory: CompactorMemory): RunHooks {
  const place = {
    get model() {
      return run.model;
    },
    signal: run.signal,
    inRun: true,
    now: run.now,
    prepare: run.prepare,
    toLlm: run.toLlm,
    send: run.request,
  };
  const compactor = new Compactor({ options, place, memory });
  let canRecover = true;
  return {
    beforeRequest: async () => {
      canRecover = true;
      const record = await compactor.keepWithin(run.context.messages);
      if (record) await run.add(record);
    },
    transformContext: async (messages) => {
      const transcript = run.context.messages;
      const places = findPlaces(transcript, messages);
      return buildView(messages, { found: compactor.find(transcript), model: run.model, ...(places && { places }) });
    },
    recover: async (response) => {
      // Some servers respond with nothing instead of an error. A second overflow is reported.
      if (!canRecover || !isContextOverflow(response, run.model.contextWindow)) return false;
      canRecover = false;
      const { messages } = run.context;
      const record = await compactor.compact(messages, "overflow");
      if (record && run.canAdd) await run.add(record);
      else if (record) compactor.pending = { record, position: messages.length };
      return record !== undefined;
    },
    onEvent: async ({ type }) => {
      if (type !== "turn_end") return;
      const record = await run.step("overflow", async () => compactor.pending?.record ?? null);
      compactor.pending = undefined;
      if (record) await run.add(record);
    },
  };
}

/** A compaction outside of a run. */
function compactByHand(
  messages: readonly AgentMessage[],
  { options, manual, memory }: { options: CompactOptions; manual: ManualCompactOptions; memory: CompactorMemory },
): Promise<CompactionMessage | undefined> {
  const { model, signal, streamFn = streamWithProviders, convertToLlm, prompt, requestOptions } = manual;
  const compactor = new Compactor({
    options: {
      ...options,
      ...(prompt !== undefined && { prompt }),
      requestOptions: { ...options.requestOptions, ...requestOptions },
    },
    memory,
    place: {
      model,
      signal,
      inRun: false,
      now: Date.now,
      toLlm: async (asked) => (convertToLlm ? convertToLlm([...asked]) : asked.filter(isLlmMessage)),
      send: async ({ model: writer, context, options: more }) => {
        const stream = await streamFn(writer, context, { ...more, ...(signal && { signal }) });
        for await (const _ of stream) {
          // Read to the end, because a stream of an application may produce its events only while they are read.
        }
        return stream.result();
      },
    },
  });
  return compactor.compact(messages, "manual");
}

/**
 * Returns the messages that requests contain: what the latest compaction has replaced and cleared is left out.
 *
 * @param model the model that reads them. Some cannot read thinking from before a compaction
 */
export function compactedMessages(messages: readonly AgentMessage[], model?: Model): AgentMessage[] {
  checkMessages(messages);
  return buildView(messages, { found: findRecord(messages), ...(model && { model }) });
}

/** Drops messages that a model cannot read, as the agent does by default. */
function isLlmMessage(message: AgentMessage): message is Message {
  const { role } = message;
  return role === "user" || role === "assistant" || (role === "toolResult" && !isMark(message));
}

/** Loads pi-ai at the first summary, so that an application with its own stream function does not load it at all. */
const streamWithProviders: StreamFn = async (model, context, options) => {
  const { streamSimple } = await import("../../apis/built-in.js");
  return streamSimple(model, context, options);
};
