/** The check of the relay, and what it finds. */
export { Errors } from "@sinclair/typebox/errors";
export { Check } from "@sinclair/typebox/value";
