import { defineConfig } from "tsup";
import { listEntries } from "../../scripts/package-entries.ts";

export default defineConfig({
  entry: {
    ...listEntries("."),
    "built-in-apis": "src/apis/built-in.ts",
    "registered-apis": "src/apis/registered.ts",
  },
  format: ["esm"],
  target: "es2023",
  platform: "neutral",
  splitting: true,
  treeshake: true,
  sourcemap: true,
  dts: false,
  silent: true,
  external: [/^pi-ai/, /^node:/],
  esbuildPlugins: [
    {
      // The platform chooses the module, by `imports` of package.json.
      name: "built-in-apis",
      setup: (build) => {
        build.onResolve({ filter: /\/built-in\.js$/ }, () => ({ path: "#built-in-apis", external: true }));
      },
    },
  ],
});
