/** Continues the chunks that an earlier process has published. */
import { type ContinuedRun, continueRun, type StepFormat, type TakeItem } from "../continued-run.js";
import { toSdk } from "./chunk-mapping.js";
import { endVoidTools } from "./tool-chunks.js";
import type { UIMessageChunk, UIMessageOptions } from "./ui-message-chunk.js";

const ENDS: ReadonlySet<string> = new Set(["abort", "error", "finish"]);

export function continueChunks(
  run: ContinuedRun<UIMessageChunk>,
  { messageId, sdk = 7 }: UIMessageOptions,
): Promise<TakeItem<UIMessageChunk>> {
  const format: StepFormat<UIMessageChunk> = {
    resumed: { type: "start", ...(messageId === undefined ? {} : { messageId }) },
    steps: readSteps,
    isStart: ({ type }) => type === "start",
    isEnd: ({ type }) => ENDS.has(type),
    startOver: (step) => [...endVoidTools(openTools(step), sdk), ...toSdk({ type: "reset-step" }, sdk)],
    cutOff: () => [],
    rename: (chunk) => chunk,
  };
  return continueRun(run, format);
}

/** For the versions before 7, a step that starts over ends and begins, but is the same step of the run. */
function readSteps(): (chunk: UIMessageChunk) => "begin" | "end" | undefined {
  let ignored = 0;
  return ({ type }) => {
    if (type === "data-reset-step") ignored = 2;
    if (type !== "start-step" && type !== "finish-step") return undefined;
    if (ignored-- > 0) return undefined;
    return type === "start-step" ? "begin" : "end";
  };
}

/** The tools that have begun and have no final output. */
function openTools(step: readonly UIMessageChunk[]): Set<string> {
  const open = new Set<string>();
  for (const chunk of step) {
    if (!("toolCallId" in chunk)) continue;
    if (chunk.type.startsWith("tool-input-")) open.add(chunk.toolCallId);
    else if (chunk.type.startsWith("tool-output-") && !("preliminary" in chunk)) open.delete(chunk.toolCallId);
  }
  return open;
}
