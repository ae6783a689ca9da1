import { defineConfig } from "tsup";

/** The child of the crash test as one file, made from the sources of both packages; the vendors' SDKs are never called. */
export default defineConfig({
  entry: { "crash-child": "test/session/crash-child.ts" },
  format: ["esm"],
  platform: "node",
  noExternal: [/^pi-ai/, "@sinclair/typebox", "ajv", "eventsource-parser"],
  external: ["@anthropic-ai/sdk", "openai", "@google/genai", /^@aws-sdk/, "google-auth-library", "ws"],
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  tsconfig: "tsconfig.json",
  dts: false,
  silent: true,
});
