/** The files of the page: its markup is defined here, its script and styles are read from a folder. */
import { readFile } from "node:fs/promises";

/** The page loads from this server only, runs no inline scripts or styles, and cannot parse text as markup. */
export const POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const MARKUP = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>pi-inspect</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="base.css">
<link rel="stylesheet" href="parts.css">
<link rel="stylesheet" href="page.css">
<link rel="stylesheet" href="forks.css">
<script type="module" src="page.js"></script>
</head>
<body></body>
</html>
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="5" fill="#1f5fd1"/></svg>`;

export interface Asset {
  type: string;
  body: string | Buffer;
}

/** The files of the page by their names. The markup has the empty name. */
export type Assets = ReadonlyMap<string, Asset>;

const TYPES = {
  "page.js": "text/javascript; charset=utf-8",
  "base.css": "text/css; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "parts.css": "text/css; charset=utf-8",
  "forks.css": "text/css; charset=utf-8",
};

/** @param folder contains the script and the styles */
export async function loadAssets(folder: URL): Promise<Assets> {
  const assets = new Map<string, Asset>([
    ["", { type: "text/html; charset=utf-8", body: MARKUP }],
    ["icon.svg", { type: "image/svg+xml", body: ICON }],
  ]);
  for (const [name, type] of Object.entries(TYPES))
    assets.set(name, { type, body: await readFile(new URL(name, folder)) });
  return assets;
}
