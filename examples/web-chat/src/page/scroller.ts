/** Keeps the end of the conversation in view until the reader scrolls up, and leads back to it. */

/** The distance from the end, in pixels, that still counts as the end. */
const NEAR = 80;

export class Scroller {
  readonly #box: HTMLElement;
  readonly #button: HTMLElement;
  #follows = true;

  constructor(box: HTMLElement, button: HTMLElement) {
    this.#box = box;
    this.#button = button;
    let before = 0;
    box.addEventListener("scroll", () => {
      const { scrollTop } = box;
      // Only scrolling up stops following. The end also moves away when text is added or the box shrinks.
      if (scrollTop < before) this.#follows = false;
      if (this.#distance() < NEAR) this.#follows = true;
      before = scrollTop;
      this.#showButton();
    });
    button.addEventListener("click", () => this.follow());
    new ResizeObserver(() => this.update()).observe(box);
  }

  /** Goes to the end and stays there. */
  follow(): void {
    this.#follows = true;
    this.update();
  }

  /** Call it when the content has changed. */
  update(): void {
    if (this.#follows) this.#box.scrollTo({ top: this.#box.scrollHeight });
    this.#showButton();
  }

  #showButton(): void {
    this.#button.hidden = this.#follows || this.#distance() < NEAR;
  }

  #distance(): number {
    const { scrollTop, scrollHeight, clientHeight } = this.#box;
    return scrollHeight - scrollTop - clientHeight;
  }
}
