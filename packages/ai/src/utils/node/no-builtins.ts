/** Stands for `builtins.ts` where there is no Node.js. */

export const hasBuiltins: boolean = false;

export function diagnosticsChannel(): undefined {}

export function fileSystem(): undefined {}

export function zlib(): undefined {}
