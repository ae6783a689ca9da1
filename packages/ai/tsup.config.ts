import { dirname } from "node:path";
import { defineConfig, type Options } from "tsup";
import { collectLicences } from "../../scripts/licences-plugin.ts";

/**
 * The vendors' SDKs, by package: `src/sdk/vendor/<file>.ts` says what is used of each. Each becomes one file of its own
 * under dist/vendor, loaded at the first call that needs it, so that an install brings neither their packages nor their
 * hundreds of files.
 */
const VENDORS: Record<string, string> = {
  "@anthropic-ai/sdk": "anthropic",
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

const common: Options = {
  format: ["esm"],
  target: "es2023",
  platform: "node",
  dts: false,
  clean: false,
  silent: true,
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
    testing: "src/testing.ts",
    validation: "src/validation.ts",
  },
  splitting: true,
  treeshake: true,
  // Its types are part of ours and stay a dependency; its code travels inside, to be loaded as one file.
  noExternal: ["@sinclair/typebox"],
  esbuildPlugins: [
    collectLicences("THIRD-PARTY-LICENSES.txt"),
    {
      name: "vendor",
      setup(build) {
        build.onResolve({ filter: /^[@a-z]/ }, ({ path }) => {
          const file = VENDORS[path];
          return file && { path: `./vendor/${file}.js`, external: true };
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

const vendors = Object.entries(VENDORS).map(
  ([name, file]): Options => ({
    ...common,
    entry: { [`vendor/${file}`]: `src/sdk/vendor/${file}.ts` },
    noExternal: [/.*/],
    minify: true,
    splitting: false,
    treeshake: true,
    // ES modules where a package has both: what is not used is left out (AWS: 338 KB and 50 ms to load, not 488 and 64).
    esbuildOptions: (options) => {
      options.mainFields = ["module", "main"];
    },
    // The licences travel with the code.
    esbuildPlugins: [collectLicences(`vendor/${file}.LICENSE.txt`)],
    // SDKs that were CommonJS ask for Node's own modules by `require`.
    banner: {
      js: `/*! ${name} and what it needs; the licences are in ${file}.LICENSE.txt */\nimport { createRequire } from "node:module"; const require = createRequire(import.meta.url);`,
    },
  }),
);

export default defineConfig([library, ...vendors]);
