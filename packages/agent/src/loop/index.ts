/** The turn cycle. */
export { type AbortGate, isPromiseLike } from "./abort-gate.js";
export { keepLlmMessages, streamWithProviders } from "./defaults.js";
export { isRunStopped, RunStopped } from "./run-stopped.js";
export { findToolCalls } from "./tools/requested-calls.js";
