/** The interface of a checked JSON Schema, compiled or interpreted. */
import type { ErrorObject } from "ajv";

export interface CompiledSchema {
  /** The schema. */
  readonly root: unknown;
  /** All faults of a value; empty if it fits. */
  check(value: unknown): ErrorObject[];
  /**
   * Whether a value fits the part of the schema at a JSON pointer such as `/properties/a/anyOf/0`. False for every
   * value if the part cannot be compiled by itself.
   */
  fits(pointer: string, value: unknown): boolean;
}
