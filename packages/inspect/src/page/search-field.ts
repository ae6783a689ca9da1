/** The search field of a run. It searches after a pause in typing, or when it loses the focus. */
import { element } from "./element.js";

/** Milliseconds between the last key and the search. */
const DELAY = 200;

export class SearchField {
  readonly element: HTMLInputElement = element("input", {
    type: "search",
    placeholder: "Search (/)",
    oninput: () => this.#typed(),
    onchange: () => this.#search(),
  });
  /** The text of the latest search. */
  #text = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #onSearch: (text: string) => void;

  constructor(onSearch: (text: string) => void) {
    this.#onSearch = onSearch;
    this.element.ariaLabel = "Search";
  }

  /** Sets the text to that of the page's address, unless the field has the focus. Returns whether the text changed. */
  show(text: string): boolean {
    if (document.activeElement === this.element || this.element.value === text) return false;
    this.element.value = text;
    this.#text = text;
    return true;
  }

  #typed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(), DELAY);
  }

  #search(): void {
    clearTimeout(this.#timer);
    if (this.element.value === this.#text) return;
    this.#text = this.element.value;
    this.#onSearch(this.#text);
  }
}
