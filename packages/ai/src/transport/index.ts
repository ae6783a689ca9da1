/** Bytes to a server and back: requests, errors, and what a record of them may show. */
export { directFetch } from "./direct-fetch.js";
export { joinLists, listOf, mergeFields, mergeHeaders, withBetas } from "./extend-request.js";
export { checkAddress, createGuardedFetch, describeNetworkError } from "./guarded-fetch.js";
export { createStreamError, describeRequest, parseUnframedError } from "./http-error.js";
export { httpProxyFetch, httpProxySecrets } from "./http-proxy-fetch.js";
export { keysInUrl, withoutKeys } from "./keys-in-url.js";
export { postJson } from "./post-json.js";
export { customValues, isRecordedHeader, showRequestHeaders, showResponseHeaders } from "./recorded-secrets.js";
export { type RetryPolicy, retryDelay } from "./retry.js";
export { parseRetryAfter, type RetryDelayReader } from "./retry-after.js";
export { secretsInBody } from "./secrets-in-body.js";
export { SocketCache, type SocketLease } from "./socket-cache.js";
export { describeThrown } from "./thrown-text.js";
export { connectWebSocket, type TextSocket } from "./websocket.js";
export type { ChunkReader, RequestNote, SendContext, WireRequest, WireResponse } from "./wire-request.js";
export { discard, releaseBody, toWireResponse } from "./wire-response.js";
