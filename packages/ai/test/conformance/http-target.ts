/** An api over HTTP. The suite sends its responses complete, split, broken and with additions. */
import type { Model, ProviderStreamOptions } from "pi-ai";
import { CANARIES } from "../support/credentials.js";
import type { PreparedResponse } from "../support/exchange.js";
import type { TestServer } from "../support/test-server.js";
import type { ExpectedResponse, PreparedRequest, ResponseName, SkippedCases, Target } from "./target.js";

/**
 * A wire event as it is sent: a text such as `data: {}
 *
 * `, or a binary frame.
 */
export type Frame = string | Uint8Array;

export interface WireResponse extends ExpectedResponse {
  frames: readonly Frame[];
  /** The number of frames after which a response counts as complete although the rest is missing. Default: all. */
  wholeFrom?: number;
}

export interface HttpFixtures {
  name: string;
  /** The model at this address. */
  model(baseUrl: string): Model;
  /** Default: none. */
  options?: ProviderStreamOptions;
  contentType: string;
  responses: Partial<Record<ResponseName, WireResponse>> & { text: WireResponse; unicode: WireResponse };
  /** An event that the api does not have (yet). */
  unknownEvent: Frame;
  /** Bytes without meaning that keep a connection alive; omitted if the api has none. */
  keepAlive?: Frame;
  /** An event that is not JSON. */
  malformedEvent: Frame;
  /** An error in the middle of the stream, with this text. */
  errorEvent(words: string): Frame;
  /** The body of an HTTP error with this text. */
  errorBody(words: string): string;
  /** False if a response has no last event, so that the end of the body or a silence ends it. Default true. */
  hasEndMarker?: boolean;
  /** False if a request works without an API key. Default true. */
  needsKey?: boolean;
  skip?: readonly SkippedCases[];
}

export class HttpTarget implements Target {
  readonly fixtures: HttpFixtures;
  readonly #server: () => TestServer;

  constructor(fixtures: HttpFixtures, server: () => TestServer) {
    this.fixtures = fixtures;
    this.#server = server;
  }

  get name(): string {
    return this.fixtures.name;
  }

  get responses(): HttpFixtures["responses"] {
    return this.fixtures.responses;
  }

  prepare(name: ResponseName, { hold = false }: { hold?: boolean } = {}): PreparedRequest & HttpRequest {
    const response = this.responses[name];
    if (!response) throw new Error(`${this.name} has no response ${name}`);
    return this.call(hold ? this.response(heldFrames(response), { after: "silence" }) : this.response(response.frames));
  }

  /** A request that gets these responses, one for each attempt; the last one is repeated. */
  call(...responses: PreparedResponse[]): PreparedRequest & HttpRequest {
    const exchange = this.#server().expect(...responses);
    const options = { apiKey: CANARIES.apiKey, maxRetries: 0, ...this.fixtures.options };
    return { model: this.fixtures.model(exchange.url), options, exchange };
  }

  /** Frames as a response, each written separately. */
  response(frames: readonly Frame[], fields: Partial<PreparedResponse> = {}): PreparedResponse {
    return { headers: { "content-type": this.fixtures.contentType }, pieces: frames.map(toBytes), ...fields };
  }

  /** An HTTP error with this text. */
  refusal(status: number, words: string, headers: Record<string, string> = {}): PreparedResponse {
    const pieces = [toBytes(this.fixtures.errorBody(words))];
    return { status, headers: { "content-type": "application/json", ...headers }, pieces };
  }
}

export type HttpRequest = Required<Pick<PreparedRequest, "exchange">>;

export function toBytes(frame: Frame): Uint8Array {
  return typeof frame === "string" ? Buffer.from(frame) : frame;
}

export function wholeFrom(response: WireResponse): number {
  return response.wholeFrom ?? response.frames.length;
}

/** All frames before the response is complete. */
function heldFrames(response: WireResponse): readonly Frame[] {
  return response.frames.slice(0, wholeFrom(response) - 1);
}
