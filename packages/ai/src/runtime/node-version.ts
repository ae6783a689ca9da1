/**
 * Stops the import on a Node.js that is too old, in place of a missing function later. Only what is built imports this,
 * under Node's condition in package.json: a page does not get it.
 */
requireFeatures();

function requireFeatures(): void {
  // A feature, not the version: other runtimes report a version of Node.js as well.
  if ("withResolvers" in Promise) return;
  throw new Error(`pi-ai and pi-agent need Node.js 22.12 or later. This is Node.js ${process.versions.node}`);
}

export {};
