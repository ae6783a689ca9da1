/**
 * What Cloud Code Assist accepts: a wrapper around generateContent's request. Source, read 2026-11: the request types of
 * github.com/google-gemini/gemini-cli, packages/core/src/code_assist.
 */
import type { Model } from "pi-ai";
import { type Faults, type Fields, fieldsOf, isSaid } from "../../validators/faults.js";
import { checkGoogleGenerativeAi } from "../google-generative-ai/validator.js";

export function checkGoogleGeminiCli(body: Fields, model: Model, faults: Faults): void {
  faults.check(isSaid(body["project"]), "project", "required");
  faults.check(isSaid(body["model"]), "model", "required");
  const { session_id: _session, ...request } = fieldsOf(body["request"]);
  checkGoogleGenerativeAi(request, model, faults);
}
