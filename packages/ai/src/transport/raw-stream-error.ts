/** An error event of a stream, before its kind is known. */
import { ProviderError } from "../errors.js";

/**
 * What a mapping throws for an error event. The driver replaces it with the error that `createStreamError` makes of the
 * event: the mapping is synchronous, and the code that reads errors is loaded by the first one.
 */
export class RawStreamError extends ProviderError {
  readonly event: unknown;
  /** The provider that sent the event. */
  readonly source: string;
  /** Adds what only the api knows to the error that is made of the event. */
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
