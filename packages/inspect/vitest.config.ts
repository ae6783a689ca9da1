import { defineConfig } from "vitest/config";
import { packagesUnderTest, projectOptions, sharedWorkers, testFiles } from "../../test/support/project-options.js";

export default defineConfig({
  plugins: packagesUnderTest,
  test: {
    ...projectOptions,
    ...sharedWorkers,
    name: "inspect",
    ...testFiles(import.meta.dirname, ["{src,test}/**/*.test.ts"]),
  },
});
