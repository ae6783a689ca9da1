/** The parts of `@sinclair/typebox/value` that this package uses. The build makes one file of them. */
export { Value } from "@sinclair/typebox/value";
