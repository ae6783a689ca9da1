/** Finds the key of a request. */
import { describeMissingKey, findCredential, processEnvironment } from "../catalogue/index.js";
import { ConfigError } from "../errors.js";
import type { Model } from "../types/model.js";
import type { StreamOptions } from "../types/options.js";
import { isLoopback } from "../utils/loopback.js";
import type { ApiAdapter, ApiRequest } from "./api-adapter.js";

/**
 * The caller's key, else the one from the environment.
 *
 * @throws ConfigError if there is none and the adapter needs one, or if a header cannot carry it
 */
export function resolveKey(
  adapter: ApiAdapter,
  model: Model,
  options: StreamOptions,
): Pick<ApiRequest, "apiKey" | "keyIsBearer"> {
  const credential = options.apiKey ? { apiKey: options.apiKey } : findCredential(model.provider, processEnvironment);
  const apiKey = credential?.apiKey ?? "";
  const hasClient = adapter.takesClient === true && "client" in options && Boolean(options.client);
  const { keyOptional } = adapter;
  const needsKey = keyOptional === "loopback" ? !isLoopback(model.baseUrl) : !keyOptional;
  if (apiKey === "" && needsKey && !hasClient) {
    const empty = options.apiKey === "" ? " The option apiKey is an empty text." : "";
    throw new ConfigError(describeMissingKey(model) + empty, { kind: "auth_missing" });
  }
  if (!isHeaderText(apiKey)) {
    throw new ConfigError(
      `The API key for provider ${model.provider} contains quotes or characters that an HTTP header cannot carry. Write it without quotes and line breaks`,
    );
  }
  return { apiKey, keyIsBearer: credential !== undefined && "scheme" in credential && credential.scheme === "bearer" };
}

function isHeaderText(value: string): boolean {
  // A shell removes quotes, some readers of .env files do not.
  return /^(?!["'])[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
