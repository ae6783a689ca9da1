/** Generates programs with forty typed tools, in each style of defining tools. For `npm run task size:types`. */

/** How the parameters of tools are written. */
export type SchemaLanguage = "typebox" | "json" | "zod";

/** How a tool gets its types: by the annotation `AgentTool<typeof parameters>`, or by `defineTool`. */
export type ToolStyle = "annotated" | "defined";

interface Field {
  name: string;
  schemas: Record<SchemaLanguage, string>;
  optional?: boolean;
  /** A use of the argument that compiles only with its own type. */
  use: string;
}

const HEAD = `import { Agent, type AgentTool, defineTool } from "pi-agent";
import { createToolParameters, StringEnum, Type } from "pi-ai";
import { z } from "zod";
`;

/** One schema of each library, so that the fixed cost of a library does not count for the tools. */
const FIRST_SCHEMA: Record<SchemaLanguage, string> = {
  typebox:
    "Type.Object({ path: Type.String(), edits: Type.Array(Type.Object({ old: Type.Optional(Type.String()) })) })",
  json: '{ type: "object", properties: { path: { type: "string" } } }',
  zod: "z.object({ path: z.string(), edits: z.array(z.object({ old: z.string().optional() })) })",
};

const NOUNS =
  "invoice customer ticket branch commit file folder order shipment event meeting contact payment report page image comment user team server".split(
    " ",
  );
const VERBS = ["find", "change"];

/** Every tool has an id and two or three of these, with unique names. */
const FIELDS: ((noun: string, verb: string) => Field)[] = [
  () => ({
    name: "limit",
    schemas: {
      typebox: "Type.Optional(Type.Integer({ minimum: 1 }))",
      json: '{ type: "integer", minimum: 1 }',
      zod: "z.int().min(1).optional()",
    },
    optional: true,
    use: "(limit ?? 5).toFixed()",
  }),
  (noun) => ({
    name: `${noun}Tags`,
    schemas: {
      typebox: "Type.Array(Type.String())",
      json: '{ type: "array", items: { type: "string" } }',
      zod: "z.array(z.string())",
    },
    use: `${noun}Tags.join()`,
  }),
  (noun, verb) => ({
    name: `${noun}Mode`,
    schemas: {
      typebox: `Type.Union([Type.Literal("${verb}-${noun}"), Type.Literal("skip")])`,
      json: `{ enum: ["${verb}-${noun}", "skip"] }`,
      zod: `z.enum(["${verb}-${noun}", "skip"])`,
    },
    use: `${noun}Mode === "${verb}-${noun}"`,
  }),
  () => ({
    name: "note",
    schemas: { typebox: "Type.Optional(Type.String())", json: '{ type: "string" }', zod: "z.string().optional()" },
    optional: true,
    use: 'note?.trim() ?? ""',
  }),
  (noun) => ({
    name: `${noun}Order`,
    schemas: {
      typebox: `StringEnum(["${noun}-up", "${noun}-down"])`,
      json: `{ type: "string", enum: ["${noun}-up", "${noun}-down"] }`,
      zod: `z.enum(["${noun}-up", "${noun}-down"])`,
    },
    use: `${noun}Order === "${noun}-up"`,
  }),
  (noun) => ({
    name: `${noun}Amount`,
    schemas: { typebox: "Type.Number()", json: '{ type: "number" }', zod: "z.number()" },
    use: `${noun}Amount.toFixed(2)`,
  }),
  () => ({
    name: "dryRun",
    schemas: { typebox: "Type.Optional(Type.Boolean())", json: '{ type: "boolean" }', zod: "z.boolean().optional()" },
    optional: true,
    use: "dryRun === true",
  }),
  (noun, verb) => ({
    name: `${noun}Edits`,
    schemas: {
      typebox: `Type.Array(Type.Object({ ${verb}Old: Type.String(), ${verb}New: Type.Optional(Type.String()) }))`,
      json: `{ type: "array", items: { type: "object", properties: { ${verb}Old: { type: "string" }, ${verb}New: { type: "string" } }, required: ["${verb}Old"] } }`,
      zod: `z.array(z.object({ ${verb}Old: z.string(), ${verb}New: z.string().optional() }))`,
    },
    use: `${noun}Edits[0]?.${verb}Old.trim()`,
  }),
  (noun) => ({
    name: `${noun}Name`,
    schemas: {
      typebox: "Type.String({ maxLength: 80 })",
      json: '{ type: "string", maxLength: 80 }',
      zod: "z.string().max(80)",
    },
    use: `${noun}Name.trim()`,
  }),
];

/** An agent without tools, with the same imports and one schema. */
export function buildEmptyProgram(language: SchemaLanguage): string {
  return `${HEAD}export const first = ${FIRST_SCHEMA[language]};\n${buildAgent([])}`;
}

/** Only the schemas of the tools. */
export function buildSchemaProgram(language: SchemaLanguage): string {
  const schemas = buildTools().map(({ name, fields }) => `export const ${name} = ${buildSchema(fields, language)};\n`);
  return `${HEAD}export const first = ${FIRST_SCHEMA[language]};\n${schemas.join("")}${buildAgent([])}`;
}

/** The tools, all of them in the list of an agent. */
export function buildToolProgram(language: SchemaLanguage, style: ToolStyle): string {
  const tools = buildTools();
  const sources = tools.map(({ name, fields }) => {
    const schema = buildParameters(fields, language);
    if (style === "defined") return `const ${name} = defineTool(${buildTool(name, fields, schema)});\n`;
    const literal = language === "json" ? `${schema} as const` : schema;
    const tool = buildTool(name, fields, `${name}Parameters`);
    return `const ${name}Parameters = ${literal};\nconst ${name}: AgentTool<typeof ${name}Parameters> = ${tool};\n`;
  });
  const first = `export const first = ${FIRST_SCHEMA[language]};\n`;
  return `${HEAD}${first}${sources.join("")}${buildAgent(tools.map(({ name }) => name))}`;
}

function buildTools(): { name: string; fields: Field[] }[] {
  return VERBS.flatMap((verb, verbIndex) =>
    NOUNS.map((noun, nounIndex) => {
      const number = verbIndex * NOUNS.length + nounIndex;
      const picks = Array.from(
        { length: 2 + (number % 2) },
        (_, index) => FIELDS[(number * 2 + index) % FIELDS.length],
      );
      const fields = picks.flatMap((pick) => (pick ? [pick(noun, verb)] : []));
      return { name: `${verb}${noun[0]?.toUpperCase()}${noun.slice(1)}`, fields: [buildId(noun), ...fields] };
    }),
  );
}

function buildId(noun: string): Field {
  const name = `${noun}Id`;
  const schemas = {
    typebox: `Type.String({ description: "Which ${noun}" })`,
    json: `{ type: "string", description: "Which ${noun}" }`,
    zod: `z.string().describe("Which ${noun}")`,
  };
  return { name, schemas, use: `${name}.trim()` };
}

function buildParameters(fields: Field[], language: SchemaLanguage): string {
  const schema = buildSchema(fields, language);
  return language === "zod" ? `createToolParameters(${schema})` : schema;
}

function buildSchema(fields: Field[], language: SchemaLanguage): string {
  const properties = fields.map(({ name, schemas }) => `${name}: ${schemas[language]}`).join(", ");
  if (language === "typebox") return `Type.Object({ ${properties} })`;
  if (language === "zod") return `z.object({ ${properties} })`;
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => `"${name}"`);
  return `{ type: "object", properties: { ${properties} }, required: [${required.join(", ")}] }`;
}

function buildTool(name: string, fields: Field[], parameters: string): string {
  return `{
  name: "${name}",
  label: "${name}",
  description: "${name}",
  parameters: ${parameters},
  execute: async (_id, { ${fields.map((field) => field.name).join(", ")} }) => ({
    content: [{ type: "text", text: [${fields.map(({ use }) => use).join(", ")}].join() }],
    details: {},
  }),
}`;
}

function buildAgent(tools: string[]): string {
  return `export const agent = new Agent({ initialState: { tools: [${tools.join(", ")}] } });\n`;
}
