/** The limits and views of JSON that arrives in pieces. */

export interface JsonLimits {
  /** Maximum nesting of arrays and objects. Default 256, because readers of the value may recurse. */
  maxDepth?: number | undefined;
  /** Maximum characters. Default 64 Mi. */
  maxLength?: number | undefined;
}

/** What the value so far omits. */
export interface JsonView {
  /** Numbers that may still grow. Default false. */
  hidesOpenNumbers?: boolean | undefined;
  /**
   * Properties that are `null`, for which this returns true. It gets the keys of the open containers and of the property;
   * the key of a list is `""`. Default: none.
   */
  omitsNull?: ((path: readonly string[]) => boolean) | undefined;
}

export const DEFAULT_MAX_JSON_DEPTH = 256;
export const DEFAULT_MAX_JSON_LENGTH: number = 64 * 1024 * 1024;
