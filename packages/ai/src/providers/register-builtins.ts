/** The built-in wire protocols. Each is loaded at its first call. */
import { type ApiProvider, clearApiProviders, registerApiProvider } from "../api-registry.js";
import type { ApiAdapter } from "../runtime/api-adapter.js";
import { createLazyApiProvider } from "../runtime/create-api-provider.js";
import type { KnownApi } from "../types/model.js";
import { loadOnce } from "../utils/load-once.js";

const BUILT_INS: Record<KnownApi, () => ApiAdapter | Promise<ApiAdapter>> = {
  "anthropic-messages": loadOnce(() => import("./anthropic/index.js").then((module) => module.anthropicAdapter)),
  "azure-openai-responses": loadOnce(() =>
    import("./openai-responses/azure.js").then((module) => module.azureOpenAIResponsesAdapter),
  ),
  "bedrock-converse-stream": loadOnce(() =>
    import("./amazon-bedrock/index.js").then((module) => module.bedrockAdapter),
  ),
  "google-gemini-cli": loadOnce(() => import("./google/gemini-cli.js").then((module) => module.googleGeminiCliAdapter)),
  "google-generative-ai": loadOnce(() => import("./google/index.js").then((module) => module.googleAdapter)),
  "google-vertex": loadOnce(() => import("./google/vertex.js").then((module) => module.googleVertexAdapter)),
  "mistral-conversations": loadOnce(() => import("./mistral/index.js").then((module) => module.mistralAdapter)),
  "openai-codex-responses": loadOnce(() =>
    import("./openai-responses/codex.js").then((module) => module.openAICodexResponsesAdapter),
  ),
  "openai-completions": loadOnce(() =>
    import("./openai-completions/index.js").then((module) => module.openAICompletionsAdapter),
  ),
  "openai-responses": loadOnce(() =>
    import("./openai-responses/index.js").then((module) => module.openAIResponsesAdapter),
  ),
};

/** A built-in protocol, registered or not. */
export function createBuiltInProvider(api: KnownApi): ApiProvider {
  return createLazyApiProvider(api, BUILT_INS[api]);
}

let registered = false;

/** {@link registerBuiltInApiProviders} for entries of the package: a second one changes nothing. */
export function registerBuiltInsOnce(): void {
  if (!registered) registerBuiltInApiProviders();
}

/** Registers every built-in protocol, in place of what was registered under its name. */
export function registerBuiltInApiProviders(): void {
  registered = true;
  for (const [api, loadAdapter] of Object.entries(BUILT_INS))
    registerApiProvider(createLazyApiProvider(api, loadAdapter));
}

/** Back to the built-in protocols alone. */
export function resetApiProviders(): void {
  clearApiProviders();
  registerBuiltInApiProviders();
}
