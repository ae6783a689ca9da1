/** The settings that the server writes into the page. */
import type { Model } from "pi-ai";

export interface Settings {
  token: string;
  note: string;
  model: Model;
}

export function readSettings(): Settings {
  const settings: Settings = JSON.parse(find("settings").textContent ?? "{}");
  // Lets a developer test an expired token.
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  return token === null ? settings : { ...settings, token };
}

/** The element of the page with this id. */
export function find<TElement extends HTMLElement = HTMLElement>(id: string): TElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}`);
  // The caller knows which element has this id.
  return element as TElement;
}
