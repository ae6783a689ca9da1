/**
 * Lets Node run programs against the sources of the packages, without a build: `node --import` this file. Tests can
 * choose installed packages instead, see `installed-packages.ts`.
 */
import { enableCompileCache, registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fileOf, isPackage } from "./installed-packages.ts";

/** The folders whose files import each other as the compiler wants it, with `.js`. */
const SOURCES = ["../packages/", "../test/support/", "../test/growth/"].map(
  (path) => new URL(path, import.meta.url).href,
);

// Node otherwise strips the types of every source again in each process, which takes longer than most programs.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)));

registerHooks({
  resolve: (specifier, context, next) => {
    const { parentURL = "" } = context;
    const isInstalled = parentURL.includes("/node_modules/");
    // Installed packages find each other where they are.
    if (isPackage(specifier) && !isInstalled && !parentURL.endsWith("/resolve.mjs"))
      return next(pathToFileURL(fileOf(specifier)).href, context);
    const isOwn = SOURCES.some((folder) => parentURL.startsWith(folder)) && !isInstalled;
    const inSources = isOwn && specifier.startsWith(".");
    return next(inSources ? specifier.replace(/\.js$/, ".ts") : specifier, context);
  },
});
