import { expect, test } from "vitest";
import { PiError } from "../../errors.js";
import { azureResourceUrl, normalizeAzureBaseUrl } from "./addresses.js";

const V1 = "https://mine.openai.azure.com/openai/v1";

test.each([
  ["https://mine.openai.azure.com", V1],
  ["https://mine.openai.azure.com/", V1],
  ["https://mine.openai.azure.com/openai", V1],
  ["https://mine.openai.azure.com/openai/", V1],
  ["https://mine.openai.azure.com/openai/v1", V1],
  ["https://mine.openai.azure.com/openai/v1/", V1],
  ["https://mine.openai.azure.com/openai/responses?api-version=2025-04-01-preview", V1],
  ["https://mine.openai.azure.com/openai/v1/responses?api-version=preview#x", V1],
  ["https://mine.cognitiveservices.azure.com/", "https://mine.cognitiveservices.azure.com/openai/v1"],
  ["https://mine.services.ai.azure.com", "https://mine.services.ai.azure.com/openai/v1"],
  ["https://mine.openai.azure.com/openai/deployments/d", "https://mine.openai.azure.com/openai/deployments/d"],
  ["https://gateway.example.com/openai/", "https://gateway.example.com/openai"],
  ["https://gateway.example.com?key=1", "https://gateway.example.com?key=1"],
  ["https://openai.azure.com.evil.example/", "https://openai.azure.com.evil.example"],
])("the base URL of %s is %s", (given, expected) => {
  expect(normalizeAzureBaseUrl(given)).toBe(expected);
});

test("a resource name becomes a URL, and cannot redirect to another host", () => {
  expect(azureResourceUrl("mine")).toBe(V1);
  expect(URL.canParse(azureResourceUrl("evil.example/"))).toBe(false);
});

test("an invalid URL is quoted in the error", () => {
  expect(() => normalizeAzureBaseUrl("mine")).toThrow("Invalid Azure OpenAI base URL: mine");
  expect(() => normalizeAzureBaseUrl("mine")).toThrow(expect.toSatisfy((error) => PiError.is(error)));
});
