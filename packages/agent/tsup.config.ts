import { dirname, resolve } from "node:path";
import { defineConfig, type Options } from "tsup";

/** What the root needs at its import and its lazily loaded parts need as well: one file in place of one for each. */
const SHARED = [
  "src/loop/abort-gate.ts",
  "src/loop/direct-steps.ts",
  "src/loop/llm-messages.ts",
  "src/loop/prepare-request.ts",
  "src/loop/promises.ts",
  "src/loop/requested-work.ts",
  "src/loop/response-stream.ts",
  "src/loop/send-request.ts",
  "src/proxy/failure.ts",
  "src/settings/check-options.ts",
  "src/settings/stream-options.ts",
  "src/run-stopped.ts",
].map((file) => resolve(file));

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Files of their own, by the names in `imports` of package.json. */
const SEPARATE = new Map([
  ...SHARED.map((file) => [file, "#shared"] as const),
  [resolve("src/apis/built-in-apis.ts"), "#built-in-apis"] as const,
]);

/** Keeps these modules in files of their own. */
const useShared: Plugin = {
  name: "shared",
  setup: (build) => {
    build.onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, importer }) => {
      const name = SEPARATE.get(resolve(dirname(importer), path).replace(/\.js$/, ".ts"));
      return name ? { path: name, external: true } : undefined;
    });
  },
};

/** The entry of their file exports everything in them. */
const sharedEntry: Plugin = {
  name: "shared-entry",
  setup: (build) => {
    build.onResolve({ filter: /./ }, ({ kind }) =>
      kind === "entry-point" ? { path: "shared", namespace: "shared" } : undefined,
    );
    build.onLoad({ filter: /./, namespace: "shared" }, () => ({
      contents: SHARED.map((file) => `export * from ${JSON.stringify(file)};`).join("\n"),
      resolveDir: resolve("src"),
    }));
  },
};

const common: Options = {
  format: ["esm"],
  target: "es2023",
  platform: "neutral",
  external: [/^pi-ai/, /^node:/],
  splitting: true,
  treeshake: true,
  sourcemap: true,
  dts: false,
  silent: true,
};

const library: Options = {
  ...common,
  entry: {
    index: "src/index.ts",
    "built-in-apis": "src/apis/built-in-apis.ts",
    "registered-apis": "src/apis/registered-apis.ts",
    approvals: "src/entries/approvals.ts",
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
  esbuildPlugins: [useShared],
};

const shared: Options = {
  ...common,
  entry: { shared: "src/index.ts" },
  splitting: false,
  esbuildPlugins: [sharedEntry],
};

export default defineConfig([library, shared]);
