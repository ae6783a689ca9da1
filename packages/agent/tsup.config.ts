import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    compact: "src/entries/compact.ts",
    durable: "src/entries/durable.ts",
    "durable/dbos": "src/entries/durable/dbos.ts",
    "durable/restate": "src/entries/durable/restate.ts",
    "durable/session": "src/entries/durable/session.ts",
    embed: "src/entries/embed.ts",
    limits: "src/entries/limits.ts",
    mcp: "src/entries/mcp.ts",
    otel: "src/entries/otel.ts",
    session: "src/entries/session.ts",
    "event-store": "src/entries/event-store.ts",
    "event-store/postgres": "src/entries/event-store/postgres.ts",
    "event-store/redis": "src/entries/event-store/redis.ts",
    sse: "src/entries/sse.ts",
    "ag-ui": "src/entries/ag-ui.ts",
    "ui-stream": "src/entries/ui-stream.ts",
    "sse/client": "src/entries/sse/client.ts",
    "session/postgres": "src/entries/session/postgres.ts",
    "session/sqlite": "src/entries/session/sqlite.ts",
  },
  format: ["esm"],
  target: "es2023",
  platform: "neutral",
  external: [/^pi-ai/, /^node:/],
  splitting: true,
  treeshake: true,
  sourcemap: true,
  dts: false,
  silent: true,
  esbuildPlugins: [
    {
      // Two small functions without state, which would else be a file that every import loads and every bundle holds.
      name: "copies",
      setup(build) {
        build.onResolve({ filter: /^\.\/failure\.js$/ }, async ({ path, importer, resolveDir, pluginData }) => {
          if (pluginData === "resolved" || !importer.endsWith("read-proxy-response.ts")) return undefined;
          const found = await build.resolve(path, {
            kind: "import-statement",
            importer,
            resolveDir,
            pluginData: "resolved",
          });
          return { ...found, suffix: "?copy" };
        });
      },
    },
  ],
});
