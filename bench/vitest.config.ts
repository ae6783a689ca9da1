import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { projectOptions } from "../test/support/project-options.js";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // Tests run on the sources, so that they need no build.
  resolve: {
    alias: [
      { find: /^pi-ai$/, replacement: source("../packages/ai/src/index.ts") },
      { find: /^pi-ai\/(.*)$/, replacement: source("../packages/ai/src/entries/$1.ts") },
      { find: /^pi-agent$/, replacement: source("../packages/agent/src/index.ts") },
      { find: /^pi-agent\/(.*)$/, replacement: source("../packages/agent/src/entries/$1.ts") },
    ],
  },
  test: { ...projectOptions, name: "bench", include: ["src/**/*.test.ts"] },
});
