/** Links of a model: their addresses are checked, and they leave the page. */
import { element } from "./element.ts";

/** The protocols of pages. */
export const WEB_PROTOCOLS: readonly string[] = ["http:", "https:"];

/** A link, or only its content if the protocol of its address is not one of `protocols`. */
export function renderLink(
  address: string,
  content: readonly (string | Node)[],
  protocols: readonly string[] = WEB_PROTOCOLS,
): HTMLElement {
  if (!URL.canParse(address) || !protocols.includes(new URL(address).protocol)) return element("span", "", content);
  const link = element("a", "", content);
  link.setAttribute("href", address);
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer");
  // Shows the real address, because the text may show another one.
  link.title = address;
  return link;
}
