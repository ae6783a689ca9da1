/** What is used of `@sinclair/typebox`; the build makes one file of it. */
export { Type } from "@sinclair/typebox";
