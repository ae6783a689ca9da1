/** What a test server says and what it saw: one exchange is the answers prepared for one call. */
import type { IncomingHttpHeaders } from "node:http";

/** An answer as it goes over the wire. */
export interface PreparedResponse {
  /** Default 200. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Written one by one. */
  pieces: readonly Uint8Array[];
  /**
   * What happens after the last piece: the body ends, the socket stays open without another byte, or the connection is
   * broken off. Default `"end"`.
   */
  after?: "end" | "silence" | "break";
  /**
   * How many pieces are written in one turn of the event loop. With 1 the client, which lives in the same process, has
   * read a piece before the next one is written. Default 1.
   */
  burst?: number;
}

export interface ReceivedRequest {
  method: string;
  /** Path and query, without the prefix that names the exchange. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export class Exchange {
  readonly url: string;
  readonly requests: ReceivedRequest[] = [];
  /** The last byte of an answer was written, or the client left before. */
  readonly served: Promise<void>;
  /** The client closed its side before the answer was over. */
  readonly left: Promise<void>;
  /** Unix time in milliseconds at which `left` happened. */
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

  /** The answer to the request that was just received: the next one prepared, or the last again. */
  receive(request: ReceivedRequest): PreparedResponse {
    this.requests.push(request);
    const response = this.#responses[Math.min(this.requests.length, this.#responses.length) - 1];
    if (!response) throw new Error("No answer was prepared");
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
