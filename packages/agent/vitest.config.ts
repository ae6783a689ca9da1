import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { countingTests, projectOptions, sharedWorkers } from "../../test/support/project-options.js";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // Tests run on the sources, so that no build has to come first.
  resolve: {
    alias: [
      { find: /^pi-ai$/, replacement: source("../ai/src/index.ts") },
      { find: /^pi-ai\/(.*)$/, replacement: source("../ai/src/entries/$1.ts") },
      { find: /^pi-agent$/, replacement: source("src/index.ts") },
      { find: /^pi-agent\/(.*)$/, replacement: source("src/entries/$1.ts") },
    ],
  },
  test: {
    ...projectOptions,
    ...sharedWorkers,
    name: "agent",
    include: ["{src,test}/**/*.test.ts"],
    exclude: [...projectOptions.exclude, ...countingTests.agent],
  },
});
