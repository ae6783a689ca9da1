/**
 * The modules of Node.js that the library needs without waiting for a promise. `imports` in package.json replaces this
 * file where there is no Node.js (see `no-builtins.ts`), so that no bundle for a browser or an edge runtime contains it.
 */

type Builtin<TModule> = TModule | undefined;

export const diagnosticsChannel = (): Builtin<typeof import("node:diagnostics_channel")> =>
  globalThis.process?.getBuiltinModule?.("node:diagnostics_channel");

export const fileSystem = (): Builtin<typeof import("node:fs")> => globalThis.process?.getBuiltinModule?.("node:fs");

export const util = (): Builtin<typeof import("node:util")> => globalThis.process?.getBuiltinModule?.("node:util");

/** Takes a few milliseconds at the first call. */
export const zlib = (): Builtin<typeof import("node:zlib")> => globalThis.process?.getBuiltinModule?.("node:zlib");
