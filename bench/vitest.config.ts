import { defineConfig } from "vitest/config";
import { packagesUnderTest, projectOptions, testFiles } from "../test/support/project-options.js";

export default defineConfig({
  plugins: packagesUnderTest,
  test: { ...projectOptions, name: "bench", ...testFiles(import.meta.dirname, ["src/**/*.test.ts"]) },
});
