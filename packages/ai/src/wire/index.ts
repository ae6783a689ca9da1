/** Frames to events, and JSON: complete, streamed, and limited in depth. */

export { type AwsEvent, awsEventStream } from "./aws-event-stream.js";
export { type BodyDecoder, createBodyDecoder, DONE, type Framing } from "./body-decoder.js";
export { cloneData, TooDeepError } from "./json/clone-data.js";
export { parseJsonWithRepair, repairJson } from "./json/json-parse.js";
export {
  DEFAULT_MAX_JSON_DEPTH,
  DEFAULT_MAX_JSON_LENGTH,
  isJsonDeeperThan,
  type JsonLimits,
  setOwn,
} from "./json/plain-data.js";
export { StreamingJsonParser } from "./json/streaming-json.js";
export { createEventTooLong, MAX_EVENT_LENGTH } from "./sse.js";
