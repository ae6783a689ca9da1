/** Loads the code that reads the errors of providers. Only a failed request needs it. */
import { ProviderError } from "../errors.js";
import { loadOnce } from "../utils/late-code.js";
import type { HttpFailure } from "./http-error.js";

type ErrorReaders = typeof import("./http-error.js");

const loadErrors: () => ErrorReaders | Promise<ErrorReaders> = /* @__PURE__ */ loadOnce(
  () => import("./http-error.js"),
);

/** The error for an HTTP response with an error status. */
export async function readHttpError(
  failure: HttpFailure,
  load: typeof loadErrors = loadErrors,
): Promise<ProviderError> {
  try {
    return (await load()).createHttpError(failure);
  } catch {
    // If the module cannot be loaded, as in a web page after a new deployment, still report the provider's text.
    const { status, body, provider } = failure;
    const kind = status === 429 || status >= 500 ? "server" : "invalid_request";
    return new ProviderError({ kind, message: `${status} ${body}`, status, body, provider });
  }
}

// Error events of a stream, which are classified later.

/**
 * Thrown by a mapping for an error event. The driver replaces it with the result of `createStreamError`: a mapping is
 * synchronous, and the module that classifies errors is loaded only when the first error occurs.
 */
export class RawStreamError extends ProviderError {
  readonly event: unknown;
  /** The provider that sent the event. */
  readonly source: string;
  /** Adds api-specific facts to the classified error. */
  readonly explain: (error: ProviderError) => ProviderError;

  constructor(
    event: unknown,
    provider: string,
    explain: (error: ProviderError) => ProviderError = (error): ProviderError => error,
  ) {
    super({ kind: "server", message: quote(event), provider });
    this.event = event;
    this.source = provider;
    this.explain = explain;
  }
}

function quote(event: unknown): string {
  try {
    return JSON.stringify(event);
  } catch {
    return "The provider reported an error";
  }
}

/** The error for an error event of a stream. */
export async function readStreamError(
  raw: RawStreamError,
  load: typeof loadErrors = loadErrors,
): Promise<ProviderError> {
  const error = await Promise.resolve(load()).then(
    ({ createStreamError }) => createStreamError(raw.event, raw.source),
    () => raw,
  );
  return raw.explain(error);
}

/** Returns the error object in the text of a body without events, or `undefined`. */
export async function findUnframedError(text: string): Promise<object | undefined> {
  return Promise.resolve(loadErrors()).then(
    ({ parseUnframedError }) => parseUnframedError(text),
    () => undefined,
  );
}
