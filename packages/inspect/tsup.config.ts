import { defineConfig, type Options } from "tsup";

const common: Options = {
  format: ["esm"],
  target: "es2023",
  treeshake: true,
  sourcemap: true,
  dts: false,
  silent: true,
};

export default defineConfig([
  {
    ...common,
    entry: { index: "src/index.ts", register: "src/register.ts", cli: "src/cli.ts" },
    platform: "node",
    external: [/^node:/],
    splitting: true,
  },
  {
    ...common,
    entry: { "page/page": "src/page/main.ts" },
    platform: "browser",
    minify: true,
    splitting: false,
    publicDir: "src/page/assets",
  },
]);
