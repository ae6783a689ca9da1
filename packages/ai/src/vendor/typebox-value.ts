/** The check of the relay. */
export { Value } from "@sinclair/typebox/value";
