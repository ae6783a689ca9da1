import { defineConfig } from "vitest/config";
import {
  countingTests,
  packagesUnderTest,
  projectOptions,
  sharedWorkers,
  testFiles,
} from "../../test/support/project-options.js";

export default defineConfig({
  plugins: packagesUnderTest,
  test: {
    ...projectOptions,
    ...sharedWorkers,
    name: "ai",
    ...testFiles(import.meta.dirname, ["{src,test,scripts}/**/*.test.ts"], countingTests.ai),
  },
});
