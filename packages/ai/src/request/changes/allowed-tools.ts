/** Says which tools a model may call where removed ones stay declared, so that the beginning of a request stays as it is. */
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";

interface Row {
  /** The modes that leave the model a choice of tools, by the words of the api's option. Without an option, the first. */
  modes: Readonly<Record<string, string>>;
  /** The mode in an option that is an object, and names no tools. */
  modeIn?(given: Record<string, unknown>): unknown;
  form(mode: string, names: readonly string[]): object;
}

const OPENAI_MODES = { auto: "auto", required: "required" };

/**
 * By the api (openai SDK 7.57, `ToolChoiceAllowed` and `ChatCompletionAllowedToolChoice`; developers.openai.com, "Function
 * calling": a subset without another list of tools keeps the cache; @google/genai 3.3, `FunctionCallingConfigMode`; 2026-11).
 */
const ROWS: Readonly<Record<string, Row>> = {
  "openai-responses": {
    modes: OPENAI_MODES,
    form: (mode, names) => ({
      type: "allowed_tools",
      mode,
      tools: names.map((name) => ({ type: "function", name })),
    }),
  },
  "openai-completions": {
    modes: OPENAI_MODES,
    form: (mode, names) => ({
      type: "allowed_tools",
      allowed_tools: { mode, tools: names.map((name) => ({ type: "function", function: { name } })) },
    }),
  },
  "google-generative-ai": {
    // A list of names goes with these two modes only.
    modes: { auto: "VALIDATED", validated: "VALIDATED", any: "ANY" },
    modeIn: ({ mode = "auto", allowedFunctionNames }) => (allowedFunctionNames ? undefined : mode),
    form: (mode, names) => ({ mode, allowedFunctionNames: names }),
  },
};

/**
 * The tool choice that leaves only the named tools. One that names a tool itself, or none, stays as it is.
 *
 * @param given the caller's choice, in the words of the api
 */
export function restrictChoice(api: string, names: readonly string[], given: unknown = "auto"): unknown {
  const row = ownValue(ROWS, api);
  if (!row) return given;
  const word = isRecord(given) ? row.modeIn?.(given) : given;
  const mode = ownValue(row.modes, String(word).toLowerCase());
  if (mode === undefined) return given;
  return names.length === 0 ? "none" : row.form(mode, names);
}
