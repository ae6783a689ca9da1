/**
 * Builds the site of the documentation from docs/, the READMEs, the tables of the providers and the comments of the code.
 *
 *   npm run site                                        writes it to site/dist
 *   npm run site -- --serve                             shows it, too, at an address that it prints
 *   npm run site -- --base /pi/                         for an address such as https://acme.github.io/pi/ (or PI_SITE_BASE)
 *   npm run site -- --repository https://github.com/acme/pi    links to files that are no pages
 *   npm run site -- --out DIRECTORY                     another folder, which is emptied
 *
 * What it needs beside the repository is installed from site/package-lock.json on the first run. The built site makes no
 * request to another host, and works from any server of files.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { printHelpIfAsked } from "../scripts/help.ts";
import { REPOSITORY } from "../scripts/published-names.ts";
import { buildSite } from "./build-site.ts";
import { serveFolder } from "./serve-folder.ts";

printHelpIfAsked(import.meta.filename);

const { values } = parseArgs({
  options: {
    base: { type: "string", default: process.env["PI_SITE_BASE"] || "/" },
    repository: { type: "string", default: REPOSITORY },
    out: { type: "string", default: resolve(import.meta.dirname, "dist") },
    serve: { type: "boolean", default: false },
  },
});
const { base, repository, serve } = values;
const out = resolve(values.out);
const pages = await buildSite({ base, repository, out, log: (line) => console.log(line) });
console.log(`${pages} pages in ${out}`);
if (serve) {
  const server = await serveFolder(out, base);
  console.log(`The site is at ${server.url}. Ctrl+C ends it.`);
}
