import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from "vitest/config";
import agent from "./packages/agent/vitest.config.js";
import ai from "./packages/ai/vitest.config.js";
import { countingTests, isPublicTest, projectOptions } from "./test/support/project-options.js";

export default defineConfig({
  test: {
    projects: ["packages/*", "bench", "test", countingProject("agent", agent), countingProject("ai", ai)],
    reporters: ["./test/support/skip.reporter.ts", "default"],
  },
});

function countingProject(name: keyof typeof countingTests, config: ViteUserConfig): TestProjectInlineConfiguration {
  const root = fileURLToPath(new URL(`packages/${name}`, import.meta.url));
  return {
    ...config,
    root,
    test: {
      ...config.test,
      ...projectOptions,
      name: `${name}: counts`,
      isolate: true,
      include: countingTests[name].filter((file) => isPublicTest(join(root, file))),
    },
  };
}
