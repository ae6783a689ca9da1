import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from "vitest/config";
import agent from "./packages/agent/vitest.config.js";
import ai from "./packages/ai/vitest.config.js";
import { countingTests, projectOptions } from "./test/support/project-options.js";

export default defineConfig({
  test: {
    projects: ["packages/*", "bench", "test", countingProject("agent", agent), countingProject("ai", ai)],
    reporters: ["./test/support/skip.reporter.ts", "default"],
  },
});

function countingProject(name: keyof typeof countingTests, config: ViteUserConfig): TestProjectInlineConfiguration {
  return {
    ...config,
    root: fileURLToPath(new URL(`packages/${name}`, import.meta.url)),
    test: {
      ...config.test,
      ...projectOptions,
      name: `${name}: counts`,
      isolate: true,
      include: [...countingTests[name]],
    },
  };
}
