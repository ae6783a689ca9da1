import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", embed: "src/embed.ts", session: "src/session.ts" },
  format: ["esm"],
  target: "es2023",
  platform: "neutral",
  external: [/^pi-ai/, /^node:/],
  splitting: true,
  treeshake: true,
  dts: false,
  silent: true,
});
