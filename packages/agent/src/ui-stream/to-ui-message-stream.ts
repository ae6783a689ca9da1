import { toErrorText } from "../serve/error-text.js";
import { createJoinedStream } from "../serve/joined-stream.js";
import { followRun, type RunSource, type RunStart } from "../serve/run-source.js";
import { createChunkMapping } from "./chunk-mapping.js";
import type { UIMessageOptions } from "./chunk-options.js";
import type { UIMessageChunk } from "./ui-message-chunk.js";

/** Options of {@link toUIMessageStream}. */
export interface UIStreamOptions extends UIMessageOptions, RunStart {}

/**
 * Converts the next run of an agent, or the events of a run, to the AI SDK's UI message stream. Cancelling the stream
 * aborts the run. If the reader is slow, waiting deltas of the same part are joined.
 *
 * A tool call that needs an approval ends the stream, so that `sendAutomaticallyWhen` of `useChat` can send the answer. For
 * the rest of the run, read the answers with `readUIApprovals`, send them to the engine, and call this function again with
 * `answers` and the page's `messageId`.
 *
 * @example
 * const stream = toUIMessageStream(agent, { run: () => agent.prompt("Hi") });
 */
export function toUIMessageStream(source: RunSource, options: UIStreamOptions = {}): ReadableStream<UIMessageChunk> {
  return createJoinedStream<UIMessageChunk>(join, ({ add, end }) => {
    const mapping = createChunkMapping(options, add);
    const leave = followRun(source, options, {
      event: mapping.event,
      wait() {
        mapping.wait();
        end();
      },
      end(error) {
        if (error) add({ type: "error", errorText: toErrorText(error, options.errorText) });
        end();
      },
    });
    return () => leave(true);
  });
}

/** Joins two deltas of the same part. */
function join(one: UIMessageChunk, other: UIMessageChunk): UIMessageChunk | undefined {
  if ("delta" in one && "delta" in other && one.id === other.id && one.type === other.type) {
    return { ...one, delta: one.delta + other.delta };
  }
  if ("inputTextDelta" in one && "inputTextDelta" in other && one.toolCallId === other.toolCallId) {
    return { ...one, inputTextDelta: one.inputTextDelta + other.inputTextDelta };
  }
  return undefined;
}
