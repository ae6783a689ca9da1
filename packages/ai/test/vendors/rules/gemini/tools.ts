/** What the Gemini API refuses in tools. */
import * as find from "../../find.js";
import { type Fields, fieldsOf, listOf, type RequestView } from "../../request-view.js";
import type { Rule } from "../../rule.js";
import { hasType } from "../../schema-walk.js";
import { CALLING, declare, NAME } from "./form.js";

/** The OpenAPI subset of `parameters`; `parametersJsonSchema` takes JSON Schema. */
const OPEN_API =
  "type format title description nullable enum maxItems minItems properties required minProperties".split(" ");
const MORE =
  "maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum".split(" ");
const isOpenApi = (schemaAt: string): boolean => schemaAt.endsWith(".parameters");

export const GEMINI_TOOLS: readonly Rule[] = [
  {
    id: "gemini/tool-name",
    refuses:
      "a tool whose name does not begin with a letter or `_`, has other characters than letters, digits and `_.:-`, or more than 64",
    find: find.toolName(NAME),
    says: "* GenerateContentRequest.{at}: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.) or dashes (-), with a maximum length of 64.\n",
    source: "google-gemini/gemini-cli#6704",
    date: "2025-08",
    certainty: "reported",
    example: declare({ name: "a b" }),
  },
  {
    id: "gemini/same-tool-name",
    refuses: "two tools with one name",
    find: find.sameToolName,
    says: "Duplicate function declaration found: {name}",
    source: "googleapis/dotnet-genai#189",
    date: "2026-01",
    certainty: "reported",
    example: declare({}, {}),
  },
  {
    id: "gemini/tool-count",
    refuses: "more than 512 tools",
    find: find.tooManyTools(512),
    says: "The number of function declarations exceeds the limit of 512.",
    source: CALLING,
    date: "2026-11",
    certainty: "supposed",
    example: declare(...Array.from({ length: 513 }, (_, index) => ({ name: `t${index}` }))),
  },
  {
    id: "gemini/schema-keyword",
    refuses: "a keyword of `parameters` that OpenAPI does not have: `$ref`, `const`, `additionalProperties`",
    find: find.schema(({ schema, schemaAt }) => {
      if (!isOpenApi(schemaAt)) return undefined;
      const keyword = unknownKeyword(schema);
      return keyword === undefined ? undefined : { keyword };
    }),
    says: "Invalid JSON payload received. Unknown name \"{keyword}\" at '{at}': Cannot find field.",
    source: "zed-extensions/mcp-server-brave-search#12",
    date: "2025-11",
    certainty: "reported",
    example: declare({ parameters: { type: "object", properties: { a: { const: 1 } } } }),
  },
  {
    id: "gemini/schema-items",
    refuses: "an array without `items` in `parameters`",
    find: find.schemaNode(
      ({ schema: node }, { schemaAt }) => isOpenApi(schemaAt) && isArray(node) && node["items"] === undefined,
    ),
    says: "* GenerateContentRequest.{at}.{path}.items: missing field.\n",
    source: "cline/cline#7926",
    date: "2025-12",
    certainty: "reported",
    example: declare({ parameters: { type: "object", properties: { a: { type: "array" } } } }),
  },
  {
    id: "gemini/schema-enum",
    refuses: "an `enum` of `parameters` for anything but texts",
    find: find.schemaNode(
      ({ schema: node }, { schemaAt }) =>
        isOpenApi(schemaAt) && node["enum"] !== undefined && String(node["type"]).toLowerCase() !== "string",
    ),
    says: "* GenerateContentRequest.{at}.{path}.enum: only allowed for STRING type\n",
    source: "musistudio/llms#20",
    date: "2025-08",
    certainty: "reported",
    example: declare({ parameters: { type: "object", properties: { a: { enum: [1] } } } }),
  },
  {
    id: "gemini/schema-enum-value",
    refuses: "a value of `enum` in `parameters` that is no text",
    find: find.schemaNode(
      ({ schema: node }, { schemaAt }) =>
        isOpenApi(schemaAt) && Array.isArray(node["enum"]) && node["enum"].some((value) => typeof value !== "string"),
    ),
    says: "Invalid value at '{at}.{path}.enum[0]' (TYPE_STRING), 1",
    source: "microsoft/azure-devops-mcp#145",
    date: "2025-07",
    certainty: "reported",
    example: declare({ parameters: { type: "object", properties: { a: { type: "string", enum: [1] } } } }),
  },
  {
    id: "gemini/schema-type-value",
    refuses: "a `type` of `parameters` that is no name of a type",
    find: find.schemaNode(
      ({ schema: node }, { schemaAt }) =>
        isOpenApi(schemaAt) &&
        node["type"] !== undefined &&
        !/^(object|array|string|number|integer|boolean|null)$/i.test(String(node["type"])),
    ),
    says: "Invalid value at '{at}.{path}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), \"\"",
    source: "zereight/gitlab-mcp#166",
    date: "2025-07",
    certainty: "reported",
    example: declare({ parameters: { type: "object", properties: { a: { type: ["string", "null"] } } } }),
  },
  {
    id: "gemini/json-schema-form",
    refuses: "a `parametersJsonSchema` that is no JSON Schema",
    find: find.schema(({ schema, schemaAt }) => {
      if (isOpenApi(schemaAt) || schema === undefined) return undefined;
      const found = find.malformedSchema({ ...EMPTY, tools: [{ ...NO_TOOL, schema }] });
      return found && { keyword: String(found["keyword"]) };
    }),
    says: "* GenerateContentRequest.{at}: invalid value for keyword {keyword}\n",
    source: "googleapis/js-genai, src/types.ts",
    date: "2026-11",
    certainty: "supposed",
    example: declare({ parametersJsonSchema: { type: "object", required: null } }),
  },
];

const EMPTY: RequestView = { body: {}, model: "", tools: [], turns: [], calls: [], results: [], parts: [] };
const NO_TOOL = { at: "", name: "", nameAt: "", description: "", schemaAt: "", strict: false };

function isArray(node: Fields): boolean {
  return hasType(node, "array") || hasType(node, "ARRAY");
}

function unknownKeyword(schema: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const known = new Set([...OPEN_API, ...MORE]);
  const node = fieldsOf(schema);
  const own = Object.keys(node).find((key) => !known.has(key));
  if (own !== undefined) return own;
  const inner = [...Object.values(fieldsOf(node["properties"])), node["items"], ...listOf(node["anyOf"])];
  return inner.map(unknownKeyword).find((keyword) => keyword !== undefined);
}
