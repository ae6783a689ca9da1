/** Options with every value set, as they are after the defaults. */
export type Complete<TOptions> = { [TName in keyof TOptions]-?: Exclude<TOptions[TName], undefined> };
