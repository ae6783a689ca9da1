/** The credentials of one attempt, collected when a text of it is read. */
import { customValues, keysInUrl } from "../../transport/index.js";
import { collectSecrets, redact } from "../../utils/redact.js";

/** Headers as an adapter or the SDK of a vendor gives them. A header that is null is not sent. */
export type SentHeaders = ConstructorParameters<typeof Headers>[0] | Readonly<Record<string, string | null>>;

/** Where a request was sent, and with what. Lists grow by more than the two that an attempt has. */
interface SecretSource {
  url: string;
  headers: SentHeaders;
  earlier: SecretSource | undefined;
}

/**
 * Most attempts are never looked at, so nothing is collected before the first look. It keeps only what holds credentials:
 * the headers and the URL of an attempt outlive its bodies.
 */
export class WatchedSecrets {
  /** The credentials of the request, which grow while it is prepared. */
  readonly #known: { readonly values: readonly string[] };
  #own: readonly string[];
  /** The newest of those whose credentials are not collected yet. */
  #source: SecretSource | undefined;
  #list: readonly string[] = [];
  /** The value from which `#list` was made. */
  #from: readonly string[] | undefined;

  constructor(known: { readonly values: readonly string[] }, own: readonly string[]) {
    this.#known = known;
    this.#own = own;
  }

  /** Adds the credentials that only this URL and these headers hold. */
  add(url: string, headers: SentHeaders): void {
    this.#source = { url, headers, earlier: this.#source };
    this.#from = undefined;
  }

  clean(text: string): string {
    return redact(text, this.values);
  }

  /** The same list as long as nothing was added: the pattern of a list is kept with it. */
  get values(): readonly string[] {
    const { values } = this.#known;
    if (this.#from === values) return this.#list;
    for (let source = this.#source; source; source = source.earlier) {
      const { url, headers: init } = source;
      const headers = headersOf(init);
      const inUrl = keysInUrl(url);
      const found = collectSecrets([...inUrl, ...customValues(headers)], Object.fromEntries(headers));
      this.#own = [...this.#own, ...found];
    }
    this.#source = undefined;
    this.#list = collectSecrets([...values, ...this.#own]);
    this.#from = values;
    return this.#list;
  }
}

/** A header that `fetch` would refuse fails the request there, not here. */
export function headersOf(given: SentHeaders): Headers {
  try {
    return new Headers(withoutNull(given));
  } catch {
    return new Headers();
  }
}

function withoutNull(given: SentHeaders): ConstructorParameters<typeof Headers>[0] {
  if (typeof given !== "object" || given === null || Symbol.iterator in given) return given;
  return Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== null);
}
