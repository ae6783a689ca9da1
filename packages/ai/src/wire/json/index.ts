/** JSON: complete, streamed, and limited in depth. */
export { cloneData, setOwn, TooDeepError } from "./clone-data.js";
export { DEFAULT_MAX_JSON_DEPTH, DEFAULT_MAX_JSON_LENGTH, isJsonDeeperThan, type JsonLimits } from "./json-limits.js";
export { parseJsonWithRepair, repairJson } from "./json-parse.js";
export { StreamingJsonParser } from "./streaming-json.js";
export { toWellFormed } from "./well-formed-data.js";
