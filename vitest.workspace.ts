import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "bench", "test"],
    reporters: ["./test/support/skip.reporter.ts", "default"],
  },
});
