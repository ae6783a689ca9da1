/** Records each request of a stream function. */
import type { AssistantMessageEventStream } from "../event-stream/event-stream.js";
import type { ContextInput } from "../types/context.js";
import type { AssistantMessageEvent } from "../types/event.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { type Chat, startChat } from "./chat.js";
import { createTelemetry, type TelemetryOptions } from "./telemetry.js";

/** A function that sends a request, such as `streamSimple` or `stream`. */
export type TraceableFunction = (model: never, context: never, options?: never) => AssistantMessageEventStream;

type Send = (model: Model, context: ContextInput, options?: SimpleStreamOptions) => AssistantMessageEventStream;

/**
 * Wraps a stream function to record a span and metrics for each request. The span is active while the request is sent. It
 * ends with the response, also with a failed or aborted one, and when the reader leaves.
 *
 * @example
 * import * as api from "@opentelemetry/api";
 * const stream = traceStream(streamSimple, { api });
 * const message = await stream(model, "Hello").result();
 */
export function traceStream<TFunction extends TraceableFunction>(
  streamFunction: TFunction,
  options: TelemetryOptions,
): TFunction {
  const telemetry = createTelemetry(options);
  // All stream functions have these parameters; their own types may be narrower.
  const send = streamFunction as unknown as Send;
  const traced: Send = (model, context, requestOptions) => {
    const chat = startChat(telemetry, { model, context, options: requestOptions });
    try {
      const stream = chat.run(() => send(model, context, requestOptions));
      watch(stream, chat);
      return stream;
    } catch (error) {
      chat.fail(error);
      throw error;
    }
  };
  return traced as unknown as TFunction; // the same parameters and result
}

/**
 * Watches the events as they are pushed. Awaiting the result would keep a request without a reader alive, and reading the
 * events would take them from the caller.
 */
function watch(stream: AssistantMessageEventStream, chat: Chat): void {
  const { push, end } = stream;
  const settle = () => stream.result().then(chat.end, chat.fail);
  if (stream.ended) settle();
  stream.push = (event: AssistantMessageEvent) => {
    if ("partial" in event) chat.begin(event.partial);
    else if (event.type === "done") chat.begin(event.message);
    if (event.type === "done") chat.end(event.message);
    else if (event.type === "error") chat.end(event.error);
    push.call(stream, event);
  };
  stream.end = (result) => {
    end.call(stream, result);
    settle();
  };
}
