/** A JSON Schema, ready to check values and parts of values. */
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { loadValidators } from "./ajv.js";
import type { CompiledSchema } from "./compiled-schema.js";
import { FORMATS } from "./formats.js";
import { interpretSchema } from "./interpreted-schema.js";

/** What the validators of all drafts have in common. */
type Validator = Pick<Ajv, "addSchema" | "getSchema">;

const KEY = "tool";

const OPTIONS: Options = {
  // Words and formats that the validator does not know are none of its business: schemas come from everywhere.
  strict: false,
  validateSchema: false,
  meta: false,
  logger: false,
  formats: FORMATS,
  allErrors: true,
  // A property that every object inherits, such as `constructor`, is not one that was given.
  ownProperties: true,
  code: { regExp: Object.assign(createPattern, { code: "createPattern" }) },
};

/**
 * Compiles a schema of draft 7, 2019-09 or 2020-12. Where the runtime forbids making code from strings, the schema is
 * walked at each check instead.
 *
 * @throws Error when the schema contradicts itself or refers to something that is not there
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

/** Each schema has a validator of its own, so that equal ids do not meet and nothing outlives its schema. */
function createValidator(schema: object): Validator {
  const { Ajv2019, Ajv2020 } = loadValidators();
  // Only the older drafts have `items` as a list, and the newer validator refuses it. What both have means the same.
  const ajv = hasTupleItems(schema) ? new Ajv2019(OPTIONS) : new Ajv2020(OPTIONS);
  ajv.addSchema(schema, KEY);
  return ajv;
}

function compile(ajv: Validator, reference: string): ValidateFunction {
  const validate = ajv.getSchema(reference);
  if (!validate) throw new Error(`there is nothing at ${reference}`);
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
  // A set hands out what is added while it is walked.
  for (const part of seen) {
    if ("items" in part && Array.isArray(part.items)) return true;
    for (const child of Object.values(part)) if (typeof child === "object" && child !== null) seen.add(child);
  }
  return false;
}

/** Patterns are written for Unicode mode by the standard, and for the older one by many people. */
function createPattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

/** A schema that refers to itself without end overflows the stack; that is a fault of the value's check, not a crash. */
function toError(error: unknown): ErrorObject {
  const reason = error instanceof Error ? error.message : String(error);
  return { keyword: "check", instancePath: "", schemaPath: "", params: {}, message: `could not be checked: ${reason}` };
}
