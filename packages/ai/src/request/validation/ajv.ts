/** What is used of the validator library. */
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";

export interface Validators {
  Ajv2019: typeof Ajv2019;
  Ajv2020: typeof Ajv2020;
}

/** The validators for the two families of drafts. */
export function loadValidators(): Validators {
  return { Ajv2019, Ajv2020 };
}
