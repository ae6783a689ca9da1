/**
 * Sends requests to ChatGPT's Responses API over a WebSocket, kept open for the session's next request, or over HTTP.
 * If a connection fails before the first event, this request and the session's later ones use HTTP.
 */
import type { ApiRequest } from "../../driver/index.js";
import { NetworkError } from "../../errors.js";
import {
  checkAddress,
  connectWebSocket,
  postJson,
  type SendContext,
  SocketCache,
  type TextSocket,
  toWireResponse,
  type WireRequest,
  type WireResponse,
} from "../../transport/index.js";
import type { StreamOptions, Transport } from "../../types/options.js";
import { createCodexEventError, explainCodexFailure } from "./codex-errors.js";
import { errorCodeOf, SocketResponse } from "./codex-socket.js";
import { type CodexTurn, continueCodexTurn } from "./codex-turn.js";

type CodexRequest = ApiRequest<StreamOptions>;

const IDLE_MS = 5 * 60_000;
/**
 * The server closes a connection after an hour, and the answer in it is lost (pi-ai 1.6.0, 2026-11). So a request that
 * begins on an older one than this gets a new connection, and an answer has a quarter of an hour.
 */
const MAX_AGE_MS = 45 * 60_000;
const CONNECT_TIMEOUT_MS = 15_000;
/** ChatGPT finds the cache of a session by this header (openai/codex, `codex-api/src/requests/headers.rs`, 2026-09). */
export const SESSION_HEADER = "session-id";
const HTTP_BETA = "responses=experimental";
const SOCKET_BETA = "responses_websockets=2026-02-06";
/** The number of sessions remembered as unable to use a WebSocket; the oldest is dropped first. */
const MAX_HTTP_SESSIONS = 1000;
/** Errors of the connection, not of the request: a new connection can serve the request. */
const RECONNECT_CODES: ReadonlySet<string> = new Set([
  "websocket_connection_limit_reached",
  "previous_response_not_found",
]);
/** The transports that send only new items. */
const CONTINUING: ReadonlySet<Transport> = new Set(["auto", "websocket-cached"]);

interface SocketRequest {
  wireRequest: WireRequest;
  request: CodexRequest;
  /** Called if the connection fails after the first event. */
  onBroken: (error: unknown) => void;
}

interface SocketAttempt {
  response?: WireResponse;
  failure?: unknown;
  /** Whether a new connection may succeed. */
  canReconnect: boolean;
}

export class CodexTransport {
  readonly #connect: typeof connectWebSocket;
  readonly #sockets = new SocketCache<CodexTurn>({ idleMs: IDLE_MS, maxAgeMs: MAX_AGE_MS });
  readonly #httpSessions = new Set<string>();

  constructor(connect: typeof connectWebSocket = connectWebSocket) {
    this.#connect = connect;
  }

  async send(wireRequest: WireRequest, request: CodexRequest, io: SendContext): Promise<WireResponse> {
    const { options } = request;
    // Requests must go through the caller's own fetch.
    const transport = options.transport ?? (options.fetch ? "sse" : "auto");
    const session = options.sessionId;
    if (transport === "sse" || (session && this.#httpSessions.has(session))) return sendOverHttp(wireRequest, io);
    const note = (error: unknown, eventsEmitted: boolean): void =>
      noteFailure({ transport, eventsEmitted, body: wireRequest.body, error }, io);
    try {
      return await this.#sendOverSocket({ wireRequest, request, onBroken: (error) => note(error, true) }, io);
    } catch (error) {
      if (io.signal.aborted || !(error instanceof NetworkError)) throw error;
      note(error, false);
      if (session) this.#rememberHttp(session);
      return sendOverHttp(wireRequest, io);
    }
  }

  /** Closes the connections of a session, or all, and lets it try a WebSocket again. */
  close(session?: string): void {
    this.#sockets.close(session);
    if (session === undefined) this.#httpSessions.clear();
    else this.#httpSessions.delete(session);
  }

  /** Retries once over a new connection if the old one failed. */
  async #sendOverSocket(target: SocketRequest, io: SendContext): Promise<WireResponse> {
    let tried = await this.#trySocket(target, io);
    if (tried.canReconnect && !io.signal.aborted) tried = await this.#trySocket(target, io);
    if (tried.response) return tried.response;
    throw tried.failure;
  }

  async #trySocket({ wireRequest, request, onBroken }: SocketRequest, io: SendContext): Promise<SocketAttempt> {
    const { options, model } = request;
    const { body } = wireRequest;
    const url = socketAddress(`${wireRequest.baseUrl}${wireRequest.path}`);
    const headers = socketHeaders(wireRequest.headers);
    const target = { url, headers, signal: io.signal, timeoutMs: CONNECT_TIMEOUT_MS };
    const connect = (): Promise<TextSocket> => this.#connect(target);
    const lease = await this.#sockets.lease(options.sessionId || undefined, JSON.stringify([url, headers]), connect);
    const turn = options.transport && CONTINUING.has(options.transport) ? lease.memory?.value : undefined;
    // No request can continue from this turn before its response is complete.
    delete lease.memory?.value;
    const response = new SocketResponse({ lease, body, signal: io.signal, onBroken });
    let first: object;
    try {
      first = await response.begin((turn && continueCodexTurn(body, turn)) ?? body);
    } catch (failure) {
      // An idle connection may have closed unnoticed.
      return { failure, canReconnect: lease.reused };
    }
    const code = errorCodeOf(first);
    if (code === undefined) {
      return { response: { status: 101, headers: {}, framing: "json-messages", body: response }, canReconnect: false };
    }
    await response.cancel();
    const failure = createCodexEventError(first, model.provider);
    return { failure, canReconnect: RECONNECT_CODES.has(code) };
  }

  #rememberHttp(session: string): void {
    const [oldest] = this.#httpSessions;
    if (oldest !== undefined && this.#httpSessions.size >= MAX_HTTP_SESSIONS) this.#httpSessions.delete(oldest);
    this.#httpSessions.add(session);
  }
}

async function sendOverHttp(wireRequest: WireRequest, io: SendContext): Promise<WireResponse> {
  try {
    return toWireResponse(await postJson(wireRequest, io), "sse");
  } catch (error) {
    throw explainCodexFailure(error);
  }
}

/** @throws ConfigError for an address that is not one of the web */
function socketAddress(address: string): string {
  checkAddress(address);
  const url = new URL(address);
  url.protocol = url.protocol === "http:" ? "ws:" : "wss:";
  return url.href;
}

function socketHeaders(headers: WireRequest["headers"]): Record<string, string> {
  const set = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null);
  const own = Object.fromEntries(set);
  const id = own["x-client-request-id"] ?? globalThis.crypto.randomUUID();
  return {
    [SESSION_HEADER]: id,
    "x-client-request-id": id,
    ...own,
    "openai-beta": own["openai-beta"] === HTTP_BETA ? SOCKET_BETA : (own["openai-beta"] ?? SOCKET_BETA),
  };
}

interface TransportFailure {
  transport: Transport;
  eventsEmitted: boolean;
  body: unknown;
  error: unknown;
}

function noteFailure({ transport, eventsEmitted, body, error }: TransportFailure, io: SendContext): void {
  const details = {
    configuredTransport: transport,
    ...(eventsEmitted ? {} : { fallbackTransport: "sse" }),
    eventsEmitted,
    phase: eventsEmitted ? "after_message_stream_start" : "before_message_stream_start",
    requestBytes: new TextEncoder().encode(JSON.stringify(body)).length,
  };
  io.note("provider_transport_failure", details, error);
}
