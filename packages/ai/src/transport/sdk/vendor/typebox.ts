/** The parts of `@sinclair/typebox` that this package uses. The build makes one file of them. */
export { Type } from "@sinclair/typebox";
