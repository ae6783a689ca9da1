/** What the server wrote into the page. */
import type { Model } from "pi-ai";

export interface Settings {
  token: string;
  note: string;
  model: Model;
}

export function readSettings(): Settings {
  const settings: Settings = JSON.parse(find("settings").textContent ?? "{}");
  // For trying out what a token that has run out looks like.
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  return token === null ? settings : { ...settings, token };
}

/** The element of the page with this id. */
export function find<TElement extends HTMLElement = HTMLElement>(id: string): TElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}`);
  // The caller knows the page.
  return element as TElement;
}
