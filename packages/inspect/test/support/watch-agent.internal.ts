/** Records the runs of agents, and of runs that a test plays. */
import { type RunRecorder, recordRuns } from "../../src/live/recorder.js";
import { createRunLauncher, type ForkOptions } from "../../src/live/run-launcher.js";
import type { RunStore } from "../../src/record/run-store.js";

interface WatchOptions extends ForkOptions {
  name?: string;
  now?: () => number;
}

/** Returns the function that stops the recording. */
export function watchAgent(
  agent: { middleware?: readonly { readonly name: string }[] | undefined },
  store: RunStore,
  options: WatchOptions = {},
): () => void {
  const recorder = recordRuns(store, { ...options, launch: (run) => createRunLauncher(run, options, store.shown) });
  agent.middleware = [...(agent.middleware ?? []), recorder];
  return () => recorder.stop();
}

/** Begins a run whose events the test emits. */
export function playRun(recorder: RunRecorder, messages: readonly object[] = []) {
  let delta: (event: { readonly type: string }) => void = () => {};
  const { onEvent } = recorder.begin({
    root: {},
    parentCall: undefined,
    signal: undefined,
    model: { id: "m" },
    thinkingLevel: "off",
    context: { systemPrompt: "Be brief", messages, tools: [] },
    onDelta: (listener) => {
      delta = listener;
    },
    fork: () => Promise.reject(new Error("not part of this test")),
  });
  return (type: string, fields: object = {}): void => {
    const event = { type, ...fields };
    if (type === "message_update") delta(event);
    else onEvent?.(event);
  };
}
