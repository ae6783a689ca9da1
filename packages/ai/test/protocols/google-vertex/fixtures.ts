/** Hand-written responses of the Gemini API, from Vertex AI. */
import type { HttpFixtures } from "../../conformance/http-target.js";
import { createGoogleFixtures } from "../google-generative-ai/fixtures.js";

/** A request without a key uses application default credentials. */
export const googleVertex: HttpFixtures = {
  ...createGoogleFixtures("google-vertex", (chunk) => chunk),
  needsKey: false,
};
