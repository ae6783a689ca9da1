/** Demands and offers of servers, whatever their api. */
import type { Model } from "../../types/model.js";
import { isLoopback } from "../../utils/loopback.js";
import { type ModelMatch, matchesModel } from "./match.js";

const ROWS: readonly ModelMatch[] = [
  // The chat templates in the repositories of these models on huggingface.co raise an exception otherwise (2026-11).
  { loopback: true, ids: ["gemma", "mistral", "mixtral", "llama-2", "llama2"] },
  // docs.perplexity.ai, "Chat completions": user and assistant messages alternate, 2026-11.
  { providers: ["perplexity"], hosts: ["api.perplexity.ai"] },
];

/** Whether the roles must alternate. The flag `requiresAlternatingRoles` of the model's `compat` overrides the table. */
export function alternatesRoles(model: Model): boolean {
  return flagOf(model) ?? ROWS.some((row) => matchesModel(model, row));
}

/** The model with the flag set; undefined if the flag is set already, or if the table has the model. */
export function withAlternatingRoles(model: Model): Model | undefined {
  if (flagOf(model) !== undefined || alternatesRoles(model)) return undefined;
  return { ...model, compat: { ...model.compat, requiresAlternatingRoles: true } };
}

function flagOf(model: Model): boolean | undefined {
  const own: { requiresAlternatingRoles?: boolean } = model.compat ?? {};
  return own.requiresAlternatingRoles;
}

// Servers of Chat Completions that count the tokens of a request.

/**
 * Whether the server counts: llama.cpp and vLLM do (their documentation, 2026-11), and a question costs nothing on this
 * machine. The flag `supportsTokenCounting` of the model's `compat` decides first.
 */
export function countsTokens({ baseUrl, compat }: Model): boolean {
  const own: { supportsTokenCounting?: boolean } = compat ?? {};
  return own.supportsTokenCounting ?? isLoopback(baseUrl);
}
