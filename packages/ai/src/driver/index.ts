/** One request from its key to its end, whatever the api. */
export type { ConversationShape } from "./alternate-roles.js";
export type { ApiAdapter, ApiRequest, ResponseHops, VendorAdapter, WireMapping } from "./api-adapter.js";
export { createApiProvider, createLazyApiProvider } from "./create-api-provider.js";
export { createFailedStream, failStream } from "./failed-stream.js";
export type { ThreadRow } from "./kept-conversation.js";
export { type OmissionReason, omittedOption } from "./omitted-options.js";
export { SIMPLE_OPTIONS } from "./option-names.js";
export { noteUnknownOptions } from "./unknown-options.js";
export type { ReadWhole, WireEvent } from "./whole-answer.js";
