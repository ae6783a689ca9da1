/** Describes a missing API key, and how to set one. */
import type { Model } from "../../types/model.js";
import { ownValue } from "../../utils/own-value.js";
import { keyVariablesOf } from "./credentials.js";

/** Providers and apis that require a token from a login. */
const LOGIN_TOKENS: Readonly<Record<string, string>> = {
  "github-copilot": "This provider needs a GitHub token of an account with Copilot, from a login.",
  "google-gemini-cli": 'Cloud Code Assist needs the token of a Google login, as JSON: { "token", "projectId" }.',
  "openai-codex": "This provider needs the access token of a ChatGPT login; an OpenAI API key does not work.",
};

/** Returns `No API key for provider: <provider>`, followed by the environment variables and the option to set. */
export function describeMissingKey({ provider, api }: Pick<Model, "provider" | "api">): string {
  const login = ownValue(LOGIN_TOKENS, provider) ?? ownValue(LOGIN_TOKENS, api);
  const variables = joinNames(keyVariablesOf(provider));
  const text = `No API key for provider: ${provider}. ${login ? `${login} ` : ""}`;
  return variables === ""
    ? `${text}Pass it as the option apiKey.`
    : `${text}Set the environment variable ${variables}, or pass the option apiKey.`;
}

/** Names variables for API keys first, because most users have a key, not a token. */
function joinNames(names: readonly string[]): string {
  const keys = names.filter((name) => name.endsWith("API_KEY"));
  return [...keys, ...names.filter((name) => !keys.includes(name))].join(" or ");
}
