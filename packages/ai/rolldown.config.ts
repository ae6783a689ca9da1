import { dirname, join, relative } from "node:path";
import { defineConfig, type Plugin } from "rolldown";
import { collectOwnLicences } from "../../scripts/licences-plugin.ts";
import { listEntries } from "../../scripts/package-entries.ts";
import { throughDoors } from "../../scripts/through-doors-plugin.ts";
import { OTHERS } from "./tsup.config.ts";

/** How a module is imported that is a file of its own: those of others, and those that `imports` of package.json chooses by the platform. */
const SEPARATE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(OTHERS.map(([source, file]) => [source, `./${file}.js`])),
  "models.generated": "#catalogue",
  "request/validation/json-schema": "#validator",
  "utils/node/builtins": "#node",
  "vendor/aws": "#vendor/aws",
  "vendor/google-node": "#vendor/google-node",
  "vendor/typebox": "#typebox",
};

const separate: Plugin = {
  name: "separate",
  resolveId: (path, importer, { kind }) => {
    // Where Node's modules are loaded at their first use, a bundler for another platform finds a stand-in.
    if (path.startsWith("node:"))
      return { id: kind === "dynamic-import" ? path.replace("node:", "#node/") : path, external: true };
    const source =
      importer &&
      relative("src", join(dirname(importer), path))
        .replaceAll("\\", "/")
        .replace(/\.js$/, "");
    const id = source && path.startsWith(".") ? SEPARATE[source] : undefined;
    return id === undefined ? undefined : { id, external: true };
  },
};

export default defineConfig({
  input: listEntries("."),
  platform: "neutral",
  plugins: [throughDoors, separate, collectOwnLicences("core.LICENSE.txt")],
  output: {
    dir: "dist",
    sourcemap: true,
    comments: { jsdoc: false },
    chunkFileNames: "[name]-[hash].js",
    // What nearly all entries share is one file: each file takes a third of a millisecond to load. Few requests have pictures.
    codeSplitting: {
      groups: [
        {
          name: "core",
          test: /src\/(types|utils(?!\/pictures)|message|wire)\/|src\/errors|failed-stream|missed-model/,
        },
      ],
    },
  },
});
