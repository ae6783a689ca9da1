import { defineConfig } from "vitest/config";

export default defineConfig({
  // Most tests wait for sockets and processes: two at a time keep two cores busy. The runner's own default is one less.
  test: { projects: ["packages/*", "bench"], maxWorkers: 2 },
});
