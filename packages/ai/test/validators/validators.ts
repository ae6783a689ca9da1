/** Finds what is wrong with a request. */
import type { Model } from "../../src/types/model.js";
import { testsOf } from "../protocols/all-apis.js";
import { Faults, fieldsOf } from "./faults.js";

/** The rules of the api that a request's body breaks; none for a good one. */
export function findFaults(api: string, body: unknown, model: Model): string[] {
  const faults = new Faults();
  // As it goes over the wire: fields without a value are gone.
  testsOf(api).validate(fieldsOf(JSON.parse(JSON.stringify(body))), model, faults);
  return faults.list;
}
