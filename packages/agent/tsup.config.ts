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
  "src/serve/proxy/failure.ts",
  "src/loop/settings/check-options.ts",
  "src/loop/settings/stream-options.ts",
  "src/loop/run-stopped.ts",
].map((file) => resolve(file));

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Files of their own, by the names in `imports` of package.json. */
const SEPARATE = new Map([
  ...SHARED.map((file) => [file, "#shared"] as const),
  [resolve("src/loop/built-in-apis.ts"), "#built-in-apis"] as const,
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
    "built-in-apis": "src/loop/built-in-apis.ts",
    "registered-apis": "src/loop/registered-apis.ts",
    approvals: "src/approvals.ts",
    compact: "src/middleware/compact/index.ts",
    durable: "src/middleware/durable/index.ts",
    "durable/dbos": "src/middleware/durable/dbos.ts",
    "durable/restate": "src/middleware/durable/restate.ts",
    "durable/session": "src/middleware/durable/session.ts",
    embed: "src/embed/index.ts",
    limits: "src/limits.ts",
    mcp: "src/tools/mcp/index.ts",
    otel: "src/middleware/trace/index.ts",
    session: "src/stores/session/index.ts",
    "event-store": "src/stores/events/index.ts",
    "event-store/postgres": "src/stores/events/postgres.ts",
    "event-store/redis": "src/stores/events/redis.ts",
    sse: "src/serve/sse/index.ts",
    "ag-ui": "src/serve/ag-ui/index.ts",
    "ui-stream": "src/serve/ui-stream/index.ts",
    "sse/client": "src/serve/sse/client.ts",
    "session/postgres": "src/stores/session/postgres.ts",
    "session/sqlite": "src/stores/session/sqlite.ts",
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
