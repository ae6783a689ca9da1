/** Records each request of a stream function. */

import type { StreamFn } from "../../types/options.js";
import { mapStream } from "../map-stream.js";
import { checkStreamFn, type WrappedStreamFn } from "../stream-middleware.js";
import { isRecorded, startChat } from "./chat-span.js";
import { createTelemetry, type TelemetryOptions } from "./telemetry.js";

/**
 * Wraps a stream function to record a span and metrics for each request. The span is active while the request is sent. It
 * ends with the response, also with a failed or aborted one, and when the reader leaves. A request that the same API records
 * already, such as one of an agent with a trace or of a `traceStream` further out, is not recorded a second time.
 *
 * @typeParam TFunction the type of the stream function
 * @param streamFn sends the requests: any stream function, also an asynchronous one
 * @throws ConfigError without a stream function
 *
 * @example
 * import * as api from "@opentelemetry/api";
 * const stream = traceStream(streamSimple, { api });
 * const message = await stream(model, "Hello").result();
 */
export function traceStream<TFunction extends StreamFn>(
  streamFn: TFunction,
  options: TelemetryOptions,
): WrappedStreamFn<TFunction> {
  checkStreamFn("traceStream", streamFn);
  const telemetry = createTelemetry(options);
  const traced: StreamFn = (model, context, requestOptions) => {
    if (isRecorded(requestOptions, telemetry)) return streamFn(model, context, requestOptions);
    const chat = startChat(telemetry, { model, context, options: requestOptions });
    try {
      const sent = chat.run(() => streamFn(model, context, chat.options));
      return mapStream(sent, {
        onEvent: ({ partial }) => chat.begin(partial),
        final: (message) => {
          if (message.stopReason !== "error" && message.stopReason !== "aborted") chat.begin(message);
          chat.end(message);
        },
        onError: chat.fail,
      });
    } catch (error) {
      chat.fail(error);
      throw error;
    }
  };
  return traced as WrappedStreamFn<TFunction>; // a stream of this library, or the promise of one for a promise
}
