import { defineConfig } from "vitest/config";

export default defineConfig({
  // Most tests wait for sockets and processes: three at a time keep two cores busy. The runner's own default is one.
  test: { projects: ["packages/*", "bench"], maxWorkers: 3 },
});
