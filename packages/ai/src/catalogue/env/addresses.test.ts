import { expect, test } from "vitest";
import { PiError } from "../../errors.js";
import { getModels } from "../../models.js";
import { resolveBaseUrl } from "./addresses.js";
import { createEnvironment } from "./environment.js";

const GATEWAY = {
  provider: "cloudflare-ai-gateway",
  baseUrl: "https://gateway.example.com/v1/{CLOUDFLARE_ACCOUNT_ID}/{CLOUDFLARE_GATEWAY_ID}/openai",
};

test("fills in the account and the gateway, each as one path segment", () => {
  const environment = createEnvironment({ CLOUDFLARE_ACCOUNT_ID: "acc$&", CLOUDFLARE_GATEWAY_ID: "../my gateway" });
  expect(resolveBaseUrl(GATEWAY, environment)).toBe(
    "https://gateway.example.com/v1/acc%24%26/..%2Fmy%20gateway/openai",
  );
});

test("throws an error with the name of a missing variable", () => {
  const resolve = (): string => resolveBaseUrl(GATEWAY, createEnvironment({ CLOUDFLARE_ACCOUNT_ID: "acc" }));
  expect(resolve).toThrow("CLOUDFLARE_GATEWAY_ID is not set: the base URL of provider cloudflare-ai-gateway needs it.");
  expect(resolve).toThrow(expect.toSatisfy((error) => PiError.is(error) && error.kind === "config"));
});

test("keeps other braces, and reads no variable for them", () => {
  const environment = createEnvironment({ OPENAI_API_KEY: "secret", location: "x" });
  const baseUrl = "https://{location}.example.com/{OPENAI_API_KEY}";
  expect(resolveBaseUrl({ provider: "p", baseUrl }, environment)).toBe(baseUrl);
});

test.each(["cloudflare-ai-gateway", "cloudflare-workers-ai"] as const)("leaves no placeholder in %s", (provider) => {
  const environment = createEnvironment({ CLOUDFLARE_ACCOUNT_ID: "a", CLOUDFLARE_GATEWAY_ID: "g" });
  for (const model of getModels(provider)) expect(resolveBaseUrl(model, environment)).not.toMatch(/[{}]/);
});
