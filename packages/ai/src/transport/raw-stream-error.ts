/** An error event of a stream that has not been classified yet. */
import { ProviderError } from "../errors.js";

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
