/** Compiles a JSON Schema to check values and parts of values. */
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { loadValidators } from "./ajv.js";
import type { CompiledSchema } from "./compiled-schema.js";
import { FORMATS } from "./formats.js";
import { interpretSchema } from "./interpreted-schema.js";

/** The common interface of the validators of all drafts. */
type Validator = Pick<Ajv, "addSchema" | "getSchema">;

const KEY = "tool";

const OPTIONS: Options = {
  // Schemas have many origins, so unknown keywords and formats are not errors.
  strict: false,
  validateSchema: false,
  meta: false,
  logger: false,
  formats: FORMATS,
  allErrors: true,
  // An inherited property, such as `constructor`, does not count as present.
  ownProperties: true,
  code: { regExp: Object.assign(createPattern, { code: "createPattern" }) },
};

/**
 * Compiles a schema of draft 7, 2019-09 or 2020-12. If the runtime forbids code generation from strings, the schema is
 * interpreted at each check instead.
 *
 * @throws Error if the schema contradicts itself or refers to something that does not exist
 */
export function compileSchema(schema: object): CompiledSchema {
  try {
    return compileToCode(schema);
  } catch (error) {
    if (error instanceof EvalError) return interpretSchema(schema, hasTupleItems(schema));
    throw error;
  }
}

function compileToCode(schema: object): CompiledSchema {
  const ajv = createValidator(schema);
  const validate = compile(ajv, KEY);
  const parts = new Map<string, ValidateFunction | undefined>();
  return {
    root: schema,
    check(value) {
      try {
        return validate(value) ? [] : (validate.errors ?? []);
      } catch (error) {
        return [toError(error)];
      }
    },
    fits(pointer, value) {
      if (!parts.has(pointer)) parts.set(pointer, compilePart(ajv, pointer));
      try {
        return parts.get(pointer)?.(value) === true;
      } catch {
        return false;
      }
    },
  };
}

/** Each schema gets its own validator, so that equal ids do not conflict and nothing outlives its schema. */
function createValidator(schema: object): Validator {
  const { Ajv2019, Ajv2020 } = loadValidators();
  // Only older drafts allow `items` as a list; the newer validator rejects it. Other keywords mean the same in both.
  const ajv = hasTupleItems(schema) ? new Ajv2019(OPTIONS) : new Ajv2020(OPTIONS);
  ajv.addSchema(schema, KEY);
  return ajv;
}

function compile(ajv: Validator, reference: string): ValidateFunction {
  const validate = ajv.getSchema(reference);
  if (!validate) throw new Error(`nothing exists at ${reference}`);
  return validate;
}

function compilePart(ajv: Validator, pointer: string): ValidateFunction | undefined {
  try {
    return compile(ajv, `${KEY}#${pointer.split("/").map(encodeURIComponent).join("/")}`);
  } catch {
    return undefined;
  }
}

function hasTupleItems(schema: object): boolean {
  const seen = new Set<object>([schema]);
  // Iterating a set also visits elements that are added during the iteration.
  for (const part of seen) {
    if ("items" in part && Array.isArray(part.items)) return true;
    for (const child of Object.values(part)) if (typeof child === "object" && child !== null) seen.add(child);
  }
  return false;
}

/** The standard defines patterns in Unicode mode, but many schemas are written for the older mode. */
function createPattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

/** Infinite self-reference in a schema overflows the stack. Report it as a fault of the value instead of crashing. */
function toError(error: unknown): ErrorObject {
  const reason = error instanceof Error ? error.message : String(error);
  return { keyword: "check", instancePath: "", schemaPath: "", params: {}, message: `could not be checked: ${reason}` };
}
