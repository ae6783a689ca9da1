/**
 * Middleware around stream functions: a list of it becomes one function, and a helper watches or changes a response.
 *
 * @module pi-ai/middleware
 */
export { composeStreams, type StreamMiddleware, type WrappedStreamFn } from "../middleware/compose-streams.js";
export { mapStream, type ProgressEvent, type StreamMapping } from "../middleware/map-stream.js";
export type { AssistantResponseStream, StreamFn } from "../types/options.js";
