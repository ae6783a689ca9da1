import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { countingTests, projectOptions, sharedWorkers } from "../../test/support/project-options.js";

const built = fileURLToPath(new URL("dist/index.js", import.meta.url));

export default defineConfig({
  // What is published differs from the sources by a bundler: the suites of the protocols can run on either.
  resolve: { alias: process.env["PI_TEST_BUILT"] ? [{ find: /^(\.\.\/)+src\/index\.js$/, replacement: built }] : [] },
  test: {
    ...projectOptions,
    ...sharedWorkers,
    name: "ai",
    include: ["{src,test,scripts}/**/*.test.ts"],
    exclude: [...projectOptions.exclude, ...countingTests.ai],
  },
});
