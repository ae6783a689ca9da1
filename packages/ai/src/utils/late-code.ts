/** Loads code at its first use. */
import { ConfigError, PiError } from "../errors.js";
import { formatThrownValue } from "./diagnostics.js";

/**
 * Creates a function that returns the result of `load`: first as a promise, later as the value itself. A repeated
 * `import()` would also return the loaded module, but takes longer than all other preparation of a request. A failed
 * load is retried. The function rejects with a `ConfigError` if the module cannot be loaded.
 *
 * @param load a literal `import()`, which bundlers and file tracers can find
 * @param what what an error says could not be loaded
 */
/* @__NO_SIDE_EFFECTS__ */
export function loadOnce<T extends object>(load: () => Promise<T>, what = "one of its files"): () => T | Promise<T> {
  let loaded: T | undefined;
  return () =>
    loaded ??
    load().then(
      (value) => {
        loaded = value;
        return value;
      },
      (cause: unknown) => {
        const reason = formatThrownValue(cause).split("\n", 1)[0];
        throw new ConfigError(
          `pi-ai could not load ${what} (${reason}). It is a part of pi-ai: deploy the whole package, or bundle it with the program`,
          { cause },
        );
      },
    );
}

/** The driver loads such code beside a request that needs it. Whatever then builds the request or reads the response has it. */
export interface LateCode<TCode extends object> {
  readonly isLoaded: boolean;
  /** @throws PiError if the code is not loaded */
  get(): TCode;
  /**
   * Loads the code; undefined if it is there. A failure is reported where the promise is awaited, so that a run that ends
   * before leaves none unhandled.
   */
  load(): Promise<unknown> | undefined;
  /** Takes the code from a caller outside of a request, which imports it at once. */
  use(code: TCode): void;
}

/** @param load a literal `import()`, which bundlers and file tracers can find */
/* @__NO_SIDE_EFFECTS__ */
export function lateCode<TCode extends object>(load: () => Promise<TCode>): LateCode<TCode> {
  let code: TCode | undefined;
  const loadFile = loadOnce(load);
  const use = (loaded: TCode): void => {
    code = loaded;
  };
  return {
    get isLoaded() {
      return code !== undefined;
    },
    get: () => {
      if (!code) throw new PiError("unknown", "A part of pi-ai is used before it is loaded");
      return code;
    },
    load: () => {
      if (code) return undefined;
      const loading = Promise.resolve(loadFile()).then(use);
      loading.catch(() => {});
      return loading;
    },
    use,
  };
}
