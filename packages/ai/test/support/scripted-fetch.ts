/** A `fetch` that plays prepared responses, for tests of everything above the socket. */

/** A piece of a body: text, a pause in milliseconds, or the error that breaks the connection. */
export type Piece = string | number | Error;

export interface ScriptedResponse {
  status?: number;
  headers?: Record<string, string>;
  pieces?: readonly Piece[];
  /** Whether the body ends after the last piece or stays open. Default `"end"`. */
  after?: "end" | "silence";
}

/** A response, silence, or a failed connection. */
export type Script = ScriptedResponse | "silence" | Error;

export interface ScriptedRequest {
  url: string;
  headers: Headers;
  body: string;
  signal: AbortSignal | undefined;
  /** How the body of the response was used. */
  response: "none" | "open" | "ended" | "broken" | "cancelled";
}

export interface ScriptedFetch {
  fetch: typeof globalThis.fetch;
  requests: ScriptedRequest[];
}

export function scriptFetch(...scripts: readonly Script[]): ScriptedFetch {
  const requests: ScriptedRequest[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request: ScriptedRequest = {
      url: String(input),
      headers: new Headers(init?.headers),
      body: String(init?.body ?? ""),
      signal: init?.signal ?? undefined,
      response: "none",
    };
    requests.push(request);
    const script = scripts[requests.length - 1];
    if (script === undefined) throw new Error(`Request ${requests.length} was not expected`);
    if (script instanceof Error) throw script;
    if (script === "silence") return untilAborted(request.signal);
    const { status = 200, headers = {}, pieces = [] } = script;
    request.response = "open";
    const empty = pieces.length === 0 && script.after === undefined;
    return new Response(empty ? null : playBody(script, request), { status, headers });
  };
  return { fetch, requests };
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new DOMException("This operation was aborted", "AbortError")));
  });
}

function playBody(
  { pieces = [], after = "end" }: ScriptedResponse,
  request: ScriptedRequest,
): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder();
  let next = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        for (; typeof pieces[next] === "number"; next++) {
          const pause = Number(pieces[next]);
          await new Promise((resolve) => setTimeout(resolve, pause));
        }
        const piece = pieces[next++];
        if (request.response !== "open") return;
        if (typeof piece === "string") controller.enqueue(bytes.encode(piece));
        else if (piece instanceof Error) {
          request.response = "broken";
          controller.error(piece);
        } else if (after === "end") {
          request.response = "ended";
          controller.close();
        } else await new Promise(() => {});
      },
      cancel: () => {
        request.response = "cancelled";
      },
    },
    { highWaterMark: 0 },
  );
}
