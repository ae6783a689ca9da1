/** An api over HTTP: its responses are frames, which the suite sends whole, cut, broken and in excess. */
import type { Model } from "../../src/types/model.js";
import type { ProviderStreamOptions } from "../../src/types/options.js";
import { CANARIES } from "../support/credentials.js";
import type { PreparedResponse } from "../support/exchange.js";
import type { TestServer } from "../support/test-server.js";
import type { ExpectedResponse, PreparedRequest, ResponseName, SkippedCases, Target } from "./target.js";

/** One wire event as it is sent: a text such as `data: {}\n\n`, or a binary frame. */
export type Frame = string | Uint8Array;

export interface WireResponse extends ExpectedResponse {
  frames: readonly Frame[];
  /** How many frames make an answer that counts as whole although the rest is missing. Default: all of them. */
  wholeFrom?: number;
}

export interface HttpFixtures {
  name: string;
  /** A model at this address. */
  model(baseUrl: string): Model;
  /** Default: none. */
  options?: ProviderStreamOptions;
  contentType: string;
  responses: Partial<Record<ResponseName, WireResponse>> & { text: WireResponse; unicode: WireResponse };
  /** An event that the protocol does not have (yet). */
  unknownEvent: Frame;
  /** Bytes without meaning that keep a connection alive; left out where there are none. */
  keepAlive?: Frame;
  /** An event that holds no JSON. */
  malformedEvent: Frame;
  /** An error in mid-stream that says these words. */
  errorEvent(words: string): Frame;
  /** The body of an HTTP error that says these words. */
  errorBody(words: string): string;
  /** False where an answer has no last event: then the end of the body, or a while of silence, ends it. Default true. */
  hasEndMarker?: boolean;
  /** False where a call works without an API key. Default true. */
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
    if (!response) throw new Error(`${this.name} has no answer ${name}`);
    return this.call(hold ? this.response(heldFrames(response), { after: "silence" }) : this.response(response.frames));
  }

  /** A call that gets these answers, one for each request; the last one is repeated. */
  call(...responses: PreparedResponse[]): PreparedRequest & HttpRequest {
    const exchange = this.#server().expect(...responses);
    const options = { apiKey: CANARIES.apiKey, maxRetries: 0, ...this.fixtures.options };
    return { model: this.fixtures.model(exchange.url), options, exchange };
  }

  /** Frames as an answer, each written by itself. */
  response(frames: readonly Frame[], fields: Partial<PreparedResponse> = {}): PreparedResponse {
    return { headers: { "content-type": this.fixtures.contentType }, pieces: frames.map(toBytes), ...fields };
  }

  /** An HTTP error with these words. */
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

/** All that comes before the answer is whole. */
function heldFrames(response: WireResponse): readonly Frame[] {
  return response.frames.slice(0, wholeFrom(response) - 1);
}
