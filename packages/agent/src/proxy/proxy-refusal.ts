/** An answer of a proxy that says no. */
import type { ErrorKind } from "pi-ai";
import { cutText, MAX_ERROR_TEXT, PiError } from "pi-ai/call";

const KINDS: Readonly<Record<number, ErrorKind>> = {
  401: "auth",
  403: "permission",
  404: "not_found",
  429: "rate_limit",
  503: "overloaded",
};

/** Most of an error body that is read, in bytes. */
const BODY_LIMIT = 64 * 1024;

/** The proxy's own words where its body is `{ error }`, else status and status text. */
export async function createRefusal(response: Response): Promise<PiError> {
  const { status, statusText } = response;
  const said = wordsOf(await readStart(response));
  const kind = KINDS[status] ?? (status >= 500 ? "server" : "invalid_request");
  return new ProxyRefusal(kind, status, `Proxy error: ${said ?? `${status} ${statusText}`}`);
}

class ProxyRefusal extends PiError {
  override readonly name: string = "ProxyRefusal";
  readonly status: number;

  constructor(kind: ErrorKind, status: number, message: string) {
    super(kind, cutText(message, MAX_ERROR_TEXT));
    this.status = status;
  }

  override get info(): PiError["info"] {
    return { kind: this.kind, status: this.status };
  }
}

function wordsOf(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body);
    if (typeof error === "string" && error !== "") return error;
    return typeof error?.message === "string" ? error.message : undefined;
  } catch {
    return undefined;
  }
}

async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let bytes = 0; reader && bytes < BODY_LIMIT; ) {
      const { done, value } = await reader.read();
      if (done) return text;
      bytes += value.length;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // What arrived before the connection broke is all that there is to tell.
  }
  reader?.cancel().catch(() => {});
  return text;
}
