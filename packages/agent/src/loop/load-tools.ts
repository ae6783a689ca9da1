/**
 * The part of the loop that runs tools, loaded when there are tools to run. It is a good part of the package, and an
 * application that shows a conversation without tools, in a browser most of all, never needs it.
 */
import type { AnyAgentTool } from "../types/tool.js";

type RunToolCalls = typeof import("./tool-schedule.js").runToolCalls;

let loading: Promise<RunToolCalls> | undefined;

/** Begins to load, so that nothing has to be waited for later. A failure shows when the tools are needed. */
export function preloadTools(tools: readonly AnyAgentTool[] | undefined): void {
  if (!tools?.length) return;
  loadTools().catch(() => {
    loading = undefined;
  });
}

export function loadTools(): Promise<RunToolCalls> {
  loading ??= import("./tool-schedule.js").then(({ runToolCalls }) => runToolCalls);
  return loading;
}
