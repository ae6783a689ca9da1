/** The parts of the validator library that are used. */
import { Ajv2019 } from "ajv/dist/2019.js";
import { _, Ajv2020 } from "ajv/dist/2020.js";

export interface Validators {
  Ajv2019: typeof Ajv2019;
  Ajv2020: typeof Ajv2020;
  /** Makes code for a keyword. */
  _: typeof _;
}

/** The validators for the two families of drafts. */
export function loadValidators(): Validators {
  return { Ajv2019, Ajv2020, _ };
}
