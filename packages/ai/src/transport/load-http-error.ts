/** Loads the code that reads the errors of providers. Only a failed request needs it. */
import { ProviderError } from "../errors.js";
import { loadOnce } from "../utils/load-once.js";
import type { HttpFailure } from "./http-error.js";
import type { RawStreamError } from "./raw-stream-error.js";

type ErrorReaders = typeof import("./http-error.js");

const loadErrors: () => ErrorReaders | Promise<ErrorReaders> = loadOnce(() => import("./http-error.js"));

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
