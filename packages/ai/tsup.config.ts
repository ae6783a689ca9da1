import { defineConfig, type Options } from "tsup";
import { bundleOthers } from "../../scripts/bundle-others.ts";

/** The code of others, a file of the build for each: its source, the file, and the platform that it is built for. */
export const OTHERS = [
  ["request/validation/json-schema", "validator", "browser"],
  ["vendor/anthropic", "vendor/anthropic", "browser"],
  ["vendor/aws", "vendor/aws", "node"],
  ["vendor/aws", "vendor/aws.browser", "browser"],
  ["vendor/google", "vendor/google", "browser"],
  ["vendor/google-node", "vendor/google-node", "node"],
  ["vendor/oauth", "vendor/oauth", "browser"],
  ["vendor/openai", "vendor/openai", "browser"],
  ["vendor/typebox", "vendor/typebox", "browser"],
  ["vendor/typebox-value", "vendor/typebox-value", "browser"],
] as const;

const own: Options = { format: ["esm"], target: "es2023", silent: true, sourcemap: true, removeNodeProtocol: false };

const data = {
  catalogue: "src/models.generated.ts",
  "node-builtins": "src/utils/node/builtins.ts",
  "no-node-builtins": "src/utils/node/no-builtins.ts",
  "no-node-module": "src/utils/node/no-module.ts",
};

export default defineConfig([
  { ...own, entry: data, bundle: false },
  // Calls `require` for the modules beside it.
  {
    ...own,
    entry: ["src/node.ts"],
    format: ["cjs"],

    external: [/\.cjs$/],
    // Node prints the line that throws: on a version that is too old, a minified file is one line of all its code.
    treeshake: false,
  },
  ...OTHERS.map(bundleOthers),
]);
