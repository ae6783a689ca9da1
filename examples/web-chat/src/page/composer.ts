/** What a person types and attaches. */
import type { ImageContent } from "pi-ai";
import { renderImage } from "./render-message.ts";
import { find } from "./settings.ts";

export interface Draft {
  text: string;
  images: ImageContent[];
}

export interface ComposerActions {
  send: (draft: Draft) => void;
  stop: () => void;
}

export class Composer {
  readonly #text = find<HTMLTextAreaElement>("text");
  readonly #list = find("images");
  #images: ImageContent[] = [];

  constructor({ send, stop }: ComposerActions) {
    find<HTMLFormElement>("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      const draft = { text: this.#text.value.trim(), images: this.#images };
      if (draft.text === "" && draft.images.length === 0) return;
      this.#text.value = "";
      this.#images = [];
      this.#showImages();
      send(draft);
    });
    this.#text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      find<HTMLFormElement>("composer").requestSubmit();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") stop();
    });
    find("stop").addEventListener("click", stop);
    const file = find<HTMLInputElement>("file");
    file.addEventListener("change", () => {
      void this.#attach([...(file.files ?? [])]);
      file.value = "";
    });
  }

  /** Shows what the buttons do now. */
  setWorking(isWorking: boolean): void {
    find("stop").hidden = !isWorking;
    find("send").textContent = isWorking ? "Steer" : "Send";
    find("hint").textContent = isWorking ? "Enter steers, Escape stops" : "Enter sends, Shift+Enter makes a new line";
    this.#text.placeholder = isWorking ? "Say something while it works…" : "Ask something…";
  }

  focus(): void {
    this.#text.focus();
  }

  async #attach(files: readonly File[]): Promise<void> {
    for (const file of files) this.#images.push({ type: "image", mimeType: file.type, data: await toBase64(file) });
    this.#showImages();
    this.focus();
  }

  #showImages(): void {
    this.#list.hidden = this.#images.length === 0;
    this.#list.replaceChildren(
      ...this.#images.map((image) => {
        const button = document.createElement("button");
        button.type = "button";
        button.title = "Remove this image";
        button.append(renderImage(image));
        button.addEventListener("click", () => {
          this.#images = this.#images.filter((other) => other !== image);
          this.#showImages();
        });
        return button;
      }),
    );
  }
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result).replace(/^[^,]*,/, "")));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}
