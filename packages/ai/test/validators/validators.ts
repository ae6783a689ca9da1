/** Validates a request with the rules of its api. */
import type { Model } from "pi-ai";
import { testsOf } from "../protocols/all-apis.js";
import { Faults, fieldsOf } from "./faults.js";

/** The rules of the api that a request's body breaks; empty for a valid one. */
export function findFaults(api: string, body: unknown, model: Model): string[] {
  const faults = new Faults();
  // As sent over the wire: without undefined fields.
  testsOf(api).validate(fieldsOf(JSON.parse(JSON.stringify(body))), model, faults);
  return faults.list;
}
