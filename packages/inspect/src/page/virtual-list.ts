/** A list that keeps only its visible rows in the document. All rows have the same height. */
import { element } from "./element.js";

/** Rows that are drawn above and below the visible part. */
const MARGIN_ROWS = 8;

export interface VirtualListOptions {
  label: string;
  rowHeight: number;
  /** Creates the row at a position. */
  row: (position: number) => HTMLElement;
  onSelect: (position: number) => void;
}

export class VirtualList {
  readonly element: HTMLElement;
  readonly #space: HTMLElement;
  readonly #options: VirtualListOptions;
  #count = 0;
  #selected = -1;
  #frame = 0;

  constructor(options: VirtualListOptions) {
    this.#options = options;
    this.#space = element("div", { class: "space" });
    this.element = element(
      "div",
      { class: "list", attributes: { role: "listbox", tabindex: "0", "aria-label": options.label } },
      this.#space,
    );
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.#press(event));
    this.#listenToPointer();
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Sets the number of rows, and draws them in the next frame.
   *
   * @param follow whether a list that is scrolled to its end stays at the end
   */
  resize(count: number, follow = false): void {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    const atEnd = scrollHeight - scrollTop - clientHeight < this.#options.rowHeight;
    this.#count = count;
    this.#space.style.height = `${count * this.#options.rowHeight}px`;
    if (follow && atEnd) this.element.scrollTop = this.element.scrollHeight;
    this.draw();
  }

  /**
   * Shows a row as selected.
   *
   * @param position -1 for none
   * @param reveal whether to scroll to the row if it is out of view
   */
  select(position: number, reveal = true): void {
    this.#selected = position;
    const top = position * this.#options.rowHeight;
    const { scrollTop, clientHeight } = this.element;
    const bottom = top + this.#options.rowHeight;
    if (reveal && position >= 0 && (top < scrollTop || bottom > scrollTop + clientHeight))
      this.element.scrollTop = Math.max(0, top - clientHeight / 3);
    this.draw();
  }

  draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#drawNow();
    });
  }

  #drawNow(): void {
    const { rowHeight, row } = this.#options;
    const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - MARGIN_ROWS);
    const last = Math.min(
      this.#count,
      Math.ceil((this.element.scrollTop + this.element.clientHeight) / rowHeight) + MARGIN_ROWS,
    );
    const rows: HTMLElement[] = [];
    for (let position = first; position < last; position++) {
      const made = row(position);
      made.classList.add("row");
      made.id = `${this.#options.label}-${position}`;
      made.role = "option";
      made.ariaSelected = String(position === this.#selected);
      made.style.transform = `translateY(${position * rowHeight}px)`;
      made.style.height = `${rowHeight}px`;
      rows.push(made);
    }
    this.#space.replaceChildren(...rows);
    if (this.#selected >= 0)
      this.element.setAttribute("aria-activedescendant", `${this.#options.label}-${this.#selected}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /**
   * Selects on press and release instead of on click: a row that is redrawn between the two gets no click, and the rows
   * of a running run are redrawn often. A click with a `detail` of 0 comes from assistive technology, without a
   * pointer.
   */
  #listenToPointer(): void {
    let pressed = -1;
    const select = (position: number): void => {
      if (position >= 0 && position < this.#count) this.#options.onSelect(position);
    };
    this.#space.addEventListener("pointerdown", ({ clientY, button }) => {
      pressed = button === 0 ? this.#positionAt(clientY) : -1;
    });
    this.#space.addEventListener("pointerup", ({ clientY }) => {
      if (this.#positionAt(clientY) === pressed) select(pressed);
    });
    this.#space.addEventListener("click", ({ detail, target }) => {
      const row = detail === 0 && target instanceof Element ? target.closest(".row") : undefined;
      if (row) select(Number(row.id.slice(this.#options.label.length + 1)));
    });
  }

  #positionAt(clientY: number): number {
    return Math.floor((clientY - this.#space.getBoundingClientRect().top) / this.#options.rowHeight);
  }

  #press(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#options.rowHeight) - 1);
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page };
    const ends: Record<string, number> = { Home: 0, End: this.#count - 1 };
    const target = ends[event.key] ?? (event.key in steps ? this.#selected + (steps[event.key] ?? 0) : undefined);
    if (target === undefined || this.#count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#options.onSelect(Math.min(this.#count - 1, Math.max(0, target)));
  }
}
