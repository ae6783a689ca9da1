/** Hand-written responses of the Gemini API, wrapped as Cloud Code Assist wraps them. */
import type { HttpFixtures } from "../../conformance/http-target.js";
import { CANARIES } from "../../support/credentials.js";
import { createGoogleFixtures } from "../google-generative-ai/fixtures.js";

export const googleGeminiCli: HttpFixtures = {
  ...createGoogleFixtures("google-gemini-cli", (chunk) => ({ response: chunk })),
  options: { apiKey: JSON.stringify({ token: CANARIES.apiKey, projectId: "project-1" }) },
};
