import { defineConfig } from "rolldown";
import { listEntries } from "../../scripts/package-entries.ts";
import { throughDoors } from "../../scripts/through-doors-plugin.ts";

export default defineConfig({
  input: {
    ...listEntries("."),
    "built-in-apis": "src/apis/built-in.ts",
    "registered-apis": "src/apis/registered.ts",
  },
  platform: "neutral",
  external: [/^pi-ai/, /^node:/],
  plugins: [
    throughDoors,
    {
      // The platform chooses the module, by `imports` of package.json.
      name: "built-in-apis",
      resolveId: (path) => (path.endsWith("/built-in.js") ? { id: "#built-in-apis", external: true } : undefined),
    },
  ],
  output: {
    dir: "dist",
    sourcemap: true,
    comments: { jsdoc: false },
    chunkFileNames: "[name]-[hash].js",
    // What nearly all entries share is one file: each file takes a third of a millisecond to load.
    codeSplitting: {
      groups: [{ name: "core", test: /src\/(types|errors|checks|schema-faults|is-equal|tool-result|pause)/ }],
    },
  },
});
