/** The builder of schemas. Its types are part of ours, so the package stays a dependency. */
export { Type } from "@sinclair/typebox";
