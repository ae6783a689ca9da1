/** Models of a server on this machine, one for each api that such servers speak. */
import type { Model } from "pi-ai";

export type LocalApi = "openai-completions" | "openai-responses" | "anthropic-messages";

export const LOCAL_APIS: readonly LocalApi[] = ["openai-completions", "openai-responses", "anthropic-messages"];

/** @param url the address of the server, without a path */
export function localModel(
  api: LocalApi,
  url = "http://127.0.0.1:8080",
  fields: Partial<Model<LocalApi>> = {},
): Model<LocalApi> {
  return {
    id: "local",
    name: "Local",
    api,
    provider: "local",
    baseUrl: api === "anthropic-messages" ? url : `${url}/v1`,
    reasoning: true,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 32_768,
    maxTokens: 4096,
    ...fields,
  };
}
