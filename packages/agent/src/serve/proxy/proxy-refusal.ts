/** The error of a relay's response without status 2xx. */
import type { ErrorKind } from "pi-ai";
import { cutText, MAX_ERROR_TEXT, PiError } from "pi-ai/call";

const KINDS: Readonly<Record<number, ErrorKind>> = {
  401: "auth",
  402: "quota",
  403: "permission",
  404: "not_found",
  429: "rate_limit",
  503: "overloaded",
};

/** The number of bytes of an error body to read. */
const BODY_LIMIT = 64 * 1024;

const NOT_FORWARDED = "the conversation is not sent there. Set proxyUrl to the URL of the server";

/** The error text of a body `{ error }`; otherwise the status and its text. */
export async function createRefusal(response: Response): Promise<PiError> {
  const { status, statusText } = response;
  const target = redirectTarget(response);
  if (target !== undefined) {
    response.body?.cancel().catch(() => {});
    return new ProxyRefusal(
      "invalid_request",
      status,
      `Proxy error: the server redirects to ${target}; ${NOT_FORWARDED}`,
    );
  }
  const reported = readErrorText(await readStart(response));
  const kind = KINDS[status] ?? (status >= 500 ? "server" : "invalid_request");
  return new ProxyRefusal(kind, status, `Proxy error: ${reported ?? `${status} ${statusText}`}`);
}

/** The target of a redirect, without its query; a browser hides it. Undefined for other responses. */
function redirectTarget({ type, status, headers }: Response): string | undefined {
  if (type === "opaqueredirect") return "another address";
  const location = headers.get("location");
  return status >= 300 && status <= 399 && location ? location.replace(/[?#].*$/s, "") : undefined;
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

function readErrorText(body: string): string | undefined {
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
    // The connection broke. The text so far is kept.
  }
  reader?.cancel().catch(() => {});
  return text;
}
