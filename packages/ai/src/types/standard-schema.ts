/** What schemas of many libraries have in common, after https://standardschema.dev: as much of it as tells their types. */

/** A schema of Zod, Valibot, ArkType or another library that keeps to Standard Schema. */
export interface StandardSchema {
  /** Who made it, and the type of what it takes. */
  readonly "~standard": {
    readonly vendor: string;
    /** For the compiler; there is no such value. */
    readonly types?: { readonly input: unknown } | undefined;
  };
}

/** What a schema takes, before the library's own defaults and transforms. */
export type StandardInput<TSchema extends StandardSchema> = NonNullable<TSchema["~standard"]["types"]>["input"];
