/** The turn cycle. */
export { type AbortGate, isPromiseLike } from "./abort-gate.js";
export { streamWithProviders } from "./default-stream-fn.js";
export { keepLlmMessages } from "./llm-messages.js";
export { findToolCalls } from "./requested-work.js";
export { isRunStopped, RunStopped } from "./run-stopped.js";
