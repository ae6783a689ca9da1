/**
 * Renders Markdown as elements. Each token of the text becomes an element that is created here: no text is ever parsed
 * as HTML, and nothing is loaded. Images are shown as links.
 */
import type { MarkedToken, Token, Tokens } from "marked";
import { decodeEntities } from "./decode-entities.ts";
import { element } from "./element.ts";
import { highlight } from "./highlight.ts";
import { createLazyElement } from "./lazy-element.ts";
import { renderLink, WEB_PROTOCOLS } from "./render-link.ts";
import { splitBlocks } from "./split-blocks.ts";

const LINK_PROTOCOLS = [...WEB_PROTOCOLS, "mailto:"];

export function renderMarkdown(content: { text: string }): HTMLElement[] {
  return splitBlocks(content).flatMap((block) =>
    block.type === "space" || block.type === "def" ? [] : [createLazyElement(block.raw, () => render([block]))],
  );
}

function render(tokens: readonly Token[] | undefined): Node[] {
  try {
    return (tokens ?? []).flatMap(renderToken);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Nested too deeply for the stack.
    return [new Text((tokens ?? []).map(({ raw }) => raw).join(""))];
  }
}

function renderToken(given: Token): Node[] {
  // No extensions are installed that would add other kinds of tokens.
  const token = given as MarkedToken;
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      // The page has a heading of its own.
      return [element(`h${Math.min(6, token.depth + 2)}`, "", render(token.tokens))];
    case "paragraph":
      return [element("p", "", render(token.tokens))];
    case "code":
      return [renderCode(token)];
    case "blockquote":
      return [element("blockquote", "", render(token.tokens))];
    case "list":
      return [renderList(token)];
    case "list_item":
      return [element("li", "", render(token.tokens))];
    case "table":
      return [renderTable(token)];
    case "hr":
    case "br":
      return [element(token.type, "", [])];
    case "strong":
    case "em":
    case "del":
      return [element(token.type, "", render(token.tokens))];
    case "codespan":
      return [element("code", "", token.text)];
    case "checkbox":
      return [new Text(token.checked ? "☑ " : "☐ ")];
    case "link":
      return [renderLink(decodeEntities(token.href), render(token.tokens), LINK_PROTOCOLS)];
    case "image":
      return [renderLink(decodeEntities(token.href), [new Text(token.text || "Image")], LINK_PROTOCOLS)];
    case "text":
      return "tokens" in token && token.tokens ? render(token.tokens) : [new Text(decodeEntities(token.text))];
    case "escape":
      return [new Text(token.text)];
    case "html":
      return [new Text(token.raw.trimEnd())];
    default:
      return [new Text((token satisfies never as Token).raw)];
  }
}

function renderCode({ text, lang = "" }: Tokens.Code): HTMLElement {
  const name = lang.split(/\s/, 1)[0] ?? "";
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "copy";
  copy.dataset["copy"] = "code";
  copy.ariaLabel = "Copy code";
  const bar = element("div", "bar", [element("span", "", name), copy]);
  return element("div", "code", [bar, element("pre", "", [element("code", "", highlight(text, name))])]);
}

function renderList({ ordered, start, items }: Tokens.List): HTMLElement {
  const list = element(ordered ? "ol" : "ul", "", render(items));
  if (list instanceof HTMLOListElement && typeof start === "number") list.start = start;
  return list;
}

function renderTable({ header, rows }: Tokens.Table): HTMLElement {
  const renderRow = (cells: readonly Tokens.TableCell[], tag: "th" | "td"): HTMLElement =>
    element(
      "tr",
      "",
      cells.map(({ tokens, align }) => {
        const cell = element(tag, "", render(tokens));
        if (align) cell.dataset["align"] = align;
        return cell;
      }),
    );
  const head = element("thead", "", [renderRow(header, "th")]);
  const body = element(
    "tbody",
    "",
    rows.map((row) => renderRow(row, "td")),
  );
  return element("div", "table", [element("table", "", [head, body])]);
}
