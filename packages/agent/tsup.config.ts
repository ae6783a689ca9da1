import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts" },
  format: ["esm"],
  target: "es2023",
  platform: "neutral",
  external: [/^pi-ai/],
  splitting: true,
  treeshake: true,
  dts: false,
  silent: true,
});
