/** A request that the relay rejects. */

/** A rejected request. Thrown internally, and sent as a response with the body `{ "error": text }`. */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }

  toResponse(): Response {
    return new Response(JSON.stringify({ error: this.message }), {
      status: this.status,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        ...this.headers,
      },
    });
  }
}
