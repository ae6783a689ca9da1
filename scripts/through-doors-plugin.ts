/** Lets a bundle take what it imports by a folder's `index.ts` from the files that hold it. */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { passDoors } from "./imports.ts";

export const throughDoors: Plugin = {
  name: "through-doors",
  setup: (build) => {
    build.onLoad({ filter: /[\\/]packages[\\/]\w+[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: passDoors(await readFile(path, "utf8"), path),
      loader: "ts",
    }));
  },
};
