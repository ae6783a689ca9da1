import { defineConfig } from "vitest/config";
import { packagesUnderTest, projectOptions, testFiles } from "./support/project-options.js";

export default defineConfig({
  plugins: packagesUnderTest,
  // Tests of the whole repository: built packages, documentation, examples, the web chat.
  test: { ...projectOptions, name: "repository", ...testFiles(import.meta.dirname, ["**/*.test.ts"]) },
});
