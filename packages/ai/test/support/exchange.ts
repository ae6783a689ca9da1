/** The script and the record of a test server: one exchange is the responses prepared for one request. */
import type { IncomingHttpHeaders } from "node:http";

/** An HTTP response on the wire. */
export interface PreparedResponse {
  /** Default 200. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Pieces that are written one by one. */
  pieces: readonly Uint8Array[];
  /**
   * What follows the last piece: the body ends, the socket stays open and silent, or the connection breaks. Default
   * `"end"`.
   */
  after?: "end" | "silence" | "break";
  /**
   * How many pieces are written per turn of the event loop. With 1, the client, which runs in the same process, has
   * read a piece before the next one is written. Default 1.
   */
  burst?: number;
}

export interface ReceivedRequest {
  method: string;
  /** Path and query, without the prefix that identifies the exchange. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export class Exchange {
  readonly url: string;
  readonly requests: ReceivedRequest[] = [];
  /** The last byte of a response was written, or the client left before. */
  readonly served: Promise<void>;
  /** The client closed its side before the response was complete. */
  readonly left: Promise<void>;
  /** Unix time in milliseconds of `left`. */
  leftAt: number | undefined;
  readonly #responses: readonly PreparedResponse[];
  #onServed: () => void = () => {};
  #onLeft: () => void = () => {};

  constructor(url: string, responses: readonly PreparedResponse[]) {
    this.url = url;
    this.#responses = responses;
    this.served = new Promise((resolve) => {
      this.#onServed = resolve;
    });
    this.left = new Promise((resolve) => {
      this.#onLeft = resolve;
    });
  }

  /** The response to the latest request: the next prepared one, or the last one again. */
  receive(request: ReceivedRequest): PreparedResponse {
    this.requests.push(request);
    const response = this.#responses[Math.min(this.requests.length, this.#responses.length) - 1];
    if (!response) throw new Error("No response was prepared");
    return response;
  }

  noteServed(): void {
    this.#onServed();
  }

  noteLeft(): void {
    this.leftAt ??= Date.now();
    this.#onLeft();
    this.#onServed();
  }
}
