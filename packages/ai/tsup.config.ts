import { dirname, relative, resolve } from "node:path";
import { defineConfig, type Options } from "tsup";
import { emptyClasses } from "../../scripts/empty-classes-plugin.ts";
import { collectLicences } from "../../scripts/licences-plugin.ts";

/**
 * The vendors' SDKs, by package: `src/sdk/vendor/<file>.ts` says what is used of each. Each becomes one file of its own
 * under dist/vendor, loaded at the first call that needs it, so that an install brings neither their packages nor their
 * hundreds of files.
 */
const VENDORS: Record<string, string> = {
  "@anthropic-ai/sdk/client": "anthropic",
  "@aws-sdk/client-bedrock-runtime": "aws",
  "@google/genai/node": "google-node",
  "@google/genai/web": "google",
  openai: "openai",
};

/** Stands for src/utils/ajv.ts: what is required inside a function is bundled all the same, and runs at its first call. */
const LAZY_VALIDATORS = `
  export const loadValidators = () => ({
    Ajv2019: require("ajv/dist/2019.js").Ajv2019,
    Ajv2020: require("ajv/dist/2020.js").Ajv2020,
  });
`;

/**
 * What nearly everything shares, each group as one file: left to itself, the bundler makes a file for each set of entries
 * that meet in a module. The first group knows no other and is all that a page needs before an answer comes.
 */
const SHARED: Record<string, readonly string[]> = {
  core: [
    "errors.ts",
    "assemble/empty-message.ts",
    "assemble/token-count.ts",
    "runtime/failure.ts",
    "transport/call-guard.ts",
    "transport/redact.ts",
    "utils/deferred.ts",
    "utils/diagnostics.ts",
    "utils/event-stream.ts",
  ],
  assembler: [
    "assemble/assistant-message-builder.ts",
    "assemble/blocks.ts",
    "assemble/call-id.ts",
    "assemble/cost.ts",
    "assemble/merge-usage.ts",
    "assemble/tool-arguments.ts",
    "utils/json-depth.ts",
    "utils/json-number-scanner.ts",
    "utils/json-string-scanner.ts",
    "utils/set-own.ts",
    "utils/streaming-json.ts",
  ],
  common: [
    "api-registry.ts",
    "compat/thinking.ts",
    "env/environment.ts",
    "utils/json-parse.ts",
    "utils/sanitize-unicode.ts",
    "utils/session-resources.ts",
    "version.ts",
    "wire/json-events.ts",
  ],
};

const SOURCE = resolve(import.meta.dirname, "src");
const GROUPS = new Map(Object.entries(SHARED).flatMap(([group, files]) => files.map((file) => [file, group])));

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Leaves modules of the groups to the groups' own files. */
function useShared(own?: string): Plugin {
  return {
    name: "shared",
    setup(build) {
      build.onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, importer }) => {
        const file = relative(SOURCE, resolve(dirname(importer), path)).replaceAll("\\", "/");
        const group = GROUPS.get(file.replace(/\.js$/, ".ts"));
        return group && group !== own ? { path: `./${group}.js`, external: true } : undefined;
      });
    },
  };
}

/** Node's modules that are only loaded in Node, by names that a bundler for browsers finds something harmless under. */
const conditionalNode: Plugin = {
  name: "conditional-node",
  setup(build) {
    build.onResolve({ filter: /^node:(buffer|https?|stream)$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: path.replace("node:", "#node/"), external: true } : undefined,
    );
  },
};

const common: Options = {
  format: ["esm"],
  target: "es2023",
  platform: "node",
  dts: false,
  clean: false,
  silent: true,
  removeNodeProtocol: false,
  esbuildOptions: (options) => {
    // Less text to read at every start; the names stay, for who looks at a stack trace.
    options.minifyWhitespace = true;
    options.minifySyntax = true;
  },
};

const library: Options = {
  ...common,
  entry: {
    index: "src/index.ts",
    adapter: "src/adapter.ts",
    assemble: "src/assemble.ts",
    call: "src/call.ts",
    "proxy-server": "src/proxy-server.ts",
    testing: "src/testing.ts",
    validation: "src/validation.ts",
  },
  splitting: true,
  treeshake: true,
  // Its types are part of ours and stay a dependency; its code travels inside, to be loaded as one file.
  noExternal: ["@sinclair/typebox"],
  esbuildPlugins: [
    collectLicences("THIRD-PARTY-LICENSES.txt"),
    useShared(),
    conditionalNode,
    {
      name: "vendor",
      setup(build) {
        build.onResolve({ filter: /^[@a-z]/ }, ({ path }) => {
          const file = VENDORS[path];
          return file && { path: `#vendor/${file}`, external: true };
        });
        build.onLoad({ filter: /[\\/]utils[\\/]ajv\.ts$/ }, ({ path }) => ({
          contents: LAZY_VALIDATORS,
          loader: "js",
          resolveDir: dirname(path),
        }));
      },
    },
  ],
};

/** A group exports everything of its modules; what is public of it, `call.ts` and `assemble.ts` say. */
const shared = Object.entries(SHARED).map(
  ([group, files]): Options => ({
    ...common,
    entry: { [group]: `src/${files[0]}` },
    splitting: false,
    treeshake: true,
    esbuildPlugins: [
      useShared(group),
      {
        name: "group",
        setup(build) {
          build.onResolve({ filter: /./ }, ({ kind }) =>
            kind === "entry-point" ? { path: group, namespace: "group" } : undefined,
          );
          build.onLoad({ filter: /./, namespace: "group" }, () => ({
            contents: files.map((file) => `export * from "./${file}";`).join("\n"),
            resolveDir: SOURCE,
          }));
        },
      },
    ],
  }),
);

/** SDKs that were CommonJS ask for Node's own modules by `require`. */
const NODE_REQUIRE = `\nimport { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;

interface VendorBuild {
  /** The package, or the entry of it. */
  name: string;
  source: string;
  /** Under dist/vendor. */
  file: string;
  platform: "node" | "browser";
}

/** What cannot do without Node's own modules; all else is built as for a browser, which takes half the time to load. */
const NEEDS_NODE = ["aws", "google-node"];

const vendorBuilds: VendorBuild[] = Object.entries(VENDORS).map(([name, source]) => ({
  name,
  source,
  file: source,
  platform: NEEDS_NODE.includes(source) ? "node" : "browser",
}));

// The browser's own; `imports` in package.json chooses.
vendorBuilds.push({ name: "@aws-sdk/client-bedrock-runtime", source: "aws", file: "aws.browser", platform: "browser" });

/** The methods of the API, three quarters of the SDK: we post what we have built ourselves. */
const openaiResources = emptyClasses(/[\\/]openai[\\/]resources[\\/]/);

const vendors = vendorBuilds.map(
  ({ name, source, file, platform }): Options => ({
    ...common,
    platform,
    entry: { [`vendor/${file}`]: `src/sdk/vendor/${source}.ts` },
    noExternal: [/.*/],
    minify: true,
    splitting: false,
    treeshake: true,
    // ES modules where a package has both: what is not used is left out (AWS: 338 KB and 50 ms to load, not 488 and 64).
    esbuildOptions: (options) => {
      options.mainFields = platform === "browser" ? ["browser", "module", "main"] : ["module", "main"];
    },
    // The licences travel with the code.
    esbuildPlugins: [collectLicences(`vendor/${file}.LICENSE.txt`), conditionalNode, openaiResources],
    banner: {
      js: `/*! ${name} and what it needs; the licences are in ${file}.LICENSE.txt */${platform === "node" ? NODE_REQUIRE : ""}`,
    },
  }),
);

const noNode: Options = { ...common, entry: { "no-node": "src/sdk/no-node.ts" } };

export default defineConfig([library, ...shared, ...vendors, noNode]);
