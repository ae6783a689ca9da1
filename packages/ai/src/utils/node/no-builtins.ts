/** Stands for `builtins.ts` where there is no Node.js. */

export function diagnosticsChannel(): undefined {}

export function fileSystem(): undefined {}

export function util(): undefined {}

export function zlib(): undefined {}
