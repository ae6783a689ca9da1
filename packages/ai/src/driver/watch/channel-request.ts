/**
 * A request as it went over the wire, on the channels `pi.request.start`, `pi.request.update` and `pi.request.end` of
 * `node:diagnostics_channel`. Every request to a model publishes there while `pi.request.start` has subscribers. No text
 * of it contains a credential that the request knows.
 */
import type { AssistantMessage } from "../../types/message.js";

/** A body as it was on the wire. */
export interface ChannelBody {
  /** The number of bytes that were sent or received. */
  readonly length: number;
  /** Its text without credentials. At most the first 1,048,576 bytes; a mark says how much was cut. */
  read(): string;
}

/** One HTTP request or message on a WebSocket: the first one, or a retry. */
export interface ChannelAttempt {
  /** Unix time in milliseconds. */
  startTime: number;
  /** For example `POST`. */
  method?: string;
  /** Without query parameters that carry keys. */
  url?: string;
  /** The headers of the request. The values of those that may hold a credential are replaced. */
  requestHeaders?: Record<string, string>;
  /** The body of the request. */
  requestBody?: ChannelBody;
  /** When the status and the headers arrived. */
  responseTime?: number;
  /** The HTTP status. */
  status?: number;
  /** The headers of the response, as `requestHeaders`. */
  responseHeaders?: Record<string, string> | undefined;
  /** When the first piece of the body arrived. */
  firstTime?: number;
  /** The body of the response. Of an error, the part that the error quotes. */
  responseBody?: ChannelBody;
  /** When the attempt ended; absent while it is under way. */
  endTime?: number;
  /** Why it failed. */
  failure?: { kind: string; message: string };
  /** The wait before the next attempt. `requested` tells a wait that the server requested from the driver's own backoff. */
  wait?: { ms: number; requested: boolean };
}

/** A request with all of its attempts. The same object is published on all channels. */
export interface ChannelRequest {
  /** The id of the model. */
  model: string;
  /** The provider of the model. */
  provider: string;
  /** The api of the model. */
  api: string;
  /** The signal that the caller passed. The requests of one run of an agent share it. */
  signal?: AbortSignal | undefined;
  /** Unix time in milliseconds. */
  startTime: number;
  /** Unix time in milliseconds; absent while it is under way. */
  endTime?: number | undefined;
  /** In order. Empty for a request that failed before it was sent. */
  attempts: ChannelAttempt[];
  /** The message of the response; it says whether the request failed or was aborted. Present at the end. */
  message?: AssistantMessage | undefined;
}
