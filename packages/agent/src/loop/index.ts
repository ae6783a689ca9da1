/** The turn cycle. */
export { type AbortGate, isPromiseLike } from "./abort-gate.js";
export { keepLlmMessages, streamWithProviders } from "./defaults.js";
export { findToolCalls } from "./requested-work.js";
export { isRunStopped, RunStopped } from "./run-stopped.js";
