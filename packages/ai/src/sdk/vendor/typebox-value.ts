/** What is used of `@sinclair/typebox/value`; the build makes one file of it. */
export { Value } from "@sinclair/typebox/value";
