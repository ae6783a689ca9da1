/** The part of Standard Schema (https://standardschema.dev) that carries the types of a schema. */

/** A schema of Zod, Valibot, ArkType or another library that implements Standard Schema. */
export interface StandardSchema {
  /** The vendor, and the type of the input. */
  readonly "~standard": {
    readonly vendor: string;
    /** Exists for the compiler only; there is no such value at run time. */
    readonly types?: { readonly input: unknown } | undefined;
  };
}

/** The type of a checked value, after defaults and transforms; that of the input where a schema states no other. */
export type StandardOutput<TSchema extends StandardSchema> =
  NonNullable<TSchema["~standard"]["types"]> extends { readonly output: infer TOutput }
    ? TOutput
    : StandardInput<TSchema>;

/** The type of a schema's input, before defaults and transforms. */
export type StandardInput<TSchema extends StandardSchema> = NonNullable<TSchema["~standard"]["types"]>["input"];
