/**
 * Middleware around stream functions: a list of it becomes one function, and a helper watches or changes a response.
 *
 * @module pi-ai/middleware
 */

export type { AssistantResponseStream, StreamFn } from "../types/options.js";
export { mapStream, type ProgressEvent, type StreamMapping } from "./map-stream.js";
export { composeStreams, type StreamMiddleware, type WrappedStreamFn } from "./stream-middleware.js";
