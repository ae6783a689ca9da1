/** What an inspector sees of requests. */
export type { ChannelAttempt, ChannelBody, ChannelRequest } from "./channel-request.js";
export type { RequestWatch, WatchedFacts } from "./watch-request.js";
