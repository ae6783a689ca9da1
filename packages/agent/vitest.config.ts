import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const ai = (file: string): string => fileURLToPath(new URL(`../ai/src/${file}`, import.meta.url));

export default defineConfig({
  // Tests run on the sources of pi-ai, so that no build has to come first.
  resolve: {
    alias: [
      { find: /^pi-ai$/, replacement: ai("index.ts") },
      { find: /^pi-ai\/(.*)$/, replacement: ai("$1.ts") },
    ],
  },
  test: { name: "agent", include: ["{src,test}/**/*.test.ts"] },
});
