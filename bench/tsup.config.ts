import { defineConfig } from "tsup";

/** Compiles the benchmarks before they run, so that no measurement includes the time to strip types. */
export default defineConfig({
  entry: { main: "src/main.ts", "many-agents": "src/many-agents.ts", server: "src/server.ts", worker: "src/worker.ts" },
  format: ["esm"],
  target: "es2023",
  platform: "node",
  external: ["pi-ai", "pi-agent", "pi-inspect"],
  splitting: true,
  clean: true,
  dts: false,
  silent: true,
});
