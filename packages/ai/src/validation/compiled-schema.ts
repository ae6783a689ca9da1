/** What a JSON Schema can be asked, however it is checked. */
import type { ErrorObject } from "ajv";

export interface CompiledSchema {
  /** The schema itself. */
  readonly root: unknown;
  /** All faults of a value; none for one that fits. */
  check(value: unknown): ErrorObject[];
  /**
   * Whether a value fits the part of the schema at a place, a JSON pointer such as `/properties/a/anyOf/0`. A part that
   * cannot be used by itself fits nothing.
   */
  fits(pointer: string, value: unknown): boolean;
}
