/** Advice for a request that has reached no server. */
import { processEnvironment } from "../catalogue/index.js";

/** Failures behind a proxy that is not asked. */
const BLOCKED = /ENOTFOUND|EAI_AGAIN|REFUSED|TIME/;

/**
 * The address that was asked, where the text does not name it, and what is likely wrong. No query and no user name: they may be
 * secrets.
 */
export function adviseNetwork(text: string, url: string): string {
  const { origin, hostname } = new URL(url);
  const facts = text.includes(hostname) ? [] : [`asked: ${origin}`];
  if (/wrong version number/.test(text)) facts.push("the server has no TLS: use http://");
  if (origin.startsWith("https") && BLOCKED.test(text) && hasUnusedProxy())
    facts.push("HTTPS_PROXY has no effect without NODE_USE_ENV_PROXY=1");
  return facts.length === 0 ? "" : ` (${facts.join("; ")})`;
}

function hasUnusedProxy(): boolean {
  const has = (name: string): boolean => Boolean(processEnvironment.get(name));
  return (has("HTTPS_PROXY") || has("https_proxy")) && !has("NODE_USE_ENV_PROXY");
}
