/** The credentials of one attempt, collected when a text of it is read. */
import { keysInUrl } from "../transport/key-parameters.js";
import { customValues } from "../transport/public-headers.js";
import { collectSecrets, redact } from "../transport/redact.js";

type HeadersInit = ConstructorParameters<typeof Headers>[0];

/**
 * Most attempts are never looked at, so nothing is collected before the first look. It keeps only what holds credentials:
 * the headers and the URL of an attempt outlive its bodies.
 */
export class WatchedSecrets {
  /** The credentials of the request, which grow while it is prepared. */
  readonly #known: { readonly values: readonly string[] };
  readonly #own: string[];
  readonly #sources: { url: string; headers: HeadersInit }[] = [];
  #list: readonly string[] = [];
  /** What `#list` was made from. */
  #from: readonly string[] | undefined;

  constructor(known: { readonly values: readonly string[] }, own: readonly string[]) {
    this.#known = known;
    this.#own = [...own];
  }

  /** Adds the credentials that only this URL and these headers hold. */
  add(url: string, headers: HeadersInit): void {
    this.#sources.push({ url, headers });
    this.#from = undefined;
  }

  clean(text: string): string {
    return redact(text, this.values);
  }

  /** The same list as long as nothing was added: the pattern of a list is kept with it. */
  get values(): readonly string[] {
    const { values } = this.#known;
    if (this.#from === values) return this.#list;
    for (const { url, headers: init } of this.#sources.splice(0)) {
      const headers = headersOf(init);
      const inUrl = URL.canParse(url) ? keysInUrl(url) : [];
      this.#own.push(...collectSecrets([...inUrl, ...customValues(headers)], Object.fromEntries(headers)));
    }
    this.#list = collectSecrets([...values, ...this.#own]);
    this.#from = values;
    return this.#list;
  }
}

/** A header that `fetch` would refuse fails the request there, not here. */
export function headersOf(init: HeadersInit): Headers {
  try {
    return new Headers(init);
  } catch {
    return new Headers();
  }
}
