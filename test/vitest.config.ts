import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { projectOptions } from "./support/project-options.js";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // Tests run on the sources, so that no build is needed.
  resolve: {
    alias: [
      { find: /^pi-ai$/, replacement: source("../packages/ai/src/index.ts") },
      { find: /^pi-ai\/(.*)$/, replacement: source("../packages/ai/src/entries/$1.ts") },
      { find: /^pi-agent$/, replacement: source("../packages/agent/src/index.ts") },
      { find: /^pi-agent\/(.*)$/, replacement: source("../packages/agent/src/entries/$1.ts") },
    ],
  },
  // Tests of the whole repository: built packages, documentation, examples, the web chat.
  test: { ...projectOptions, name: "repository", include: ["**/*.test.ts"] },
});
