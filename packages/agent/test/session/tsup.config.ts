import { defineConfig } from "tsup";

/** Bundles the child of the crash test from the sources of both packages. It never calls the vendors' SDKs. */
export default defineConfig({
  entry: { "crash-child": "test/session/crash-child.ts" },
  format: ["esm"],
  platform: "node",
  noExternal: [/^pi-ai/, "@sinclair/typebox", "ajv", /^pg/, "postgres"],
  external: ["pg-native", "@anthropic-ai/sdk", "openai", "@google/genai", /^@aws-sdk/, "google-auth-library", "ws"],
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  tsconfig: "tsconfig.json",
  dts: false,
  silent: true,
});
