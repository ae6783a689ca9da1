/** Code that only some requests need, for callers that cannot wait for it. */
import { PiError } from "../errors.js";
import { loadOnce } from "./load-once.js";

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
