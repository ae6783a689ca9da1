/** The schemas of a request, in the part of JSON Schema that a vendor accepts. */
export { DialectBudget, fitDialect, withWords } from "./fit-dialect.js";
export { fitSchemas } from "./fit-schemas.js";
export { type PropertyNames, renameProperties, type SchemaPlace } from "./property-names.js";
export type { Schema } from "./schema-children.js";
export { SchemaBudget } from "./schema-size.js";
