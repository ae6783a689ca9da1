import { defineConfig } from "tsup";

/** Compiled before it runs, so that no measurement holds the time to strip types. */
export default defineConfig({
  entry: { main: "src/main.ts", server: "src/server.ts", worker: "src/worker.ts" },
  format: ["esm"],
  target: "es2023",
  platform: "node",
  external: ["pi-ai", "pi-agent", "pi-inspect"],
  splitting: true,
  clean: true,
  dts: false,
  silent: true,
});
