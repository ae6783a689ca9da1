/** Says which tools a model may call where removed ones stay declared, so that the beginning of a request stays as it is. */
import { ownValue } from "../../utils/own-value.js";

type Form = (mode: unknown, names: readonly string[]) => object;

/**
 * By the api (openai SDK 7.57, `ToolChoiceAllowed` and `ChatCompletionAllowedToolChoice`; developers.openai.com, "Function
 * calling": a subset without another list of tools keeps the cache; 2026-11).
 */
const FORMS: Readonly<Record<string, Form>> = {
  "openai-responses": (mode, names) => ({
    type: "allowed_tools",
    mode,
    tools: names.map((name) => ({ type: "function", name })),
  }),
  "openai-completions": (mode, names) => ({
    type: "allowed_tools",
    allowed_tools: { mode, tools: names.map((name) => ({ type: "function", function: { name } })) },
  }),
};

/**
 * The tool choice that leaves only the named tools. One that names a tool itself, or none, stays as it is.
 *
 * @param given the caller's choice, in the words of the api
 */
export function restrictChoice(api: string, names: readonly string[], given: unknown): unknown {
  if (given !== undefined && given !== "auto" && given !== "required") return given;
  return names.length === 0 ? "none" : (ownValue(FORMS, api)?.(given ?? "auto", names) ?? given);
}
