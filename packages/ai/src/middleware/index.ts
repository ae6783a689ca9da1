/**
 * Middleware around stream functions: a list of it becomes one function, and a helper watches or changes a response.
 *
 * @module pi-ai/middleware
 */

export type { AssistantResponseStream, StreamFn } from "../types/options.js";
export {
  composeStreams,
  mapStream,
  type ProgressEvent,
  type StreamMapping,
  type StreamMiddleware,
  type WrappedStreamFn,
} from "./stream-middleware.js";
