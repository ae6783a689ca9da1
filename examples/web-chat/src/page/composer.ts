/** The form for text and images. */
import type { ImageContent } from "pi-ai";
import { renderImage } from "./render-provider-content.ts";
import { find } from "./settings.ts";

export interface Draft {
  text: string;
  images: ImageContent[];
}

export interface ComposerActions {
  send: (draft: Draft) => void;
  stop: () => void;
  /** Shows why a file cannot be attached. */
  refuse: (reason: string) => void;
}

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/** Anthropic's API takes images of at most 5 MB in base64, which is a third longer than the file. */
const MAX_IMAGE_BYTES = 3_700_000;

export class Composer {
  readonly #text = find<HTMLTextAreaElement>("text");
  readonly #list = find("images");
  readonly #refuse: ComposerActions["refuse"];
  #images: ImageContent[] = [];

  constructor({ send, stop, refuse }: ComposerActions) {
    this.#refuse = refuse;
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
    this.#takeFiles();
  }

  #takeFiles(): void {
    const file = find<HTMLInputElement>("file");
    file.addEventListener("change", () => {
      void this.#attach([...(file.files ?? [])]);
      file.value = "";
    });
    this.#text.addEventListener("paste", (event) => this.#takeFrom(event, event.clipboardData));
    document.addEventListener("drop", (event) => this.#takeFrom(event, event.dataTransfer));
    document.addEventListener("dragover", (event) => event.preventDefault());
  }

  #takeFrom(event: Event, data: DataTransfer | null): void {
    const files = [...(data?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void this.#attach(files);
  }

  /** Inserts unsent text and images before the typed text. */
  giveBack(drafts: readonly Draft[]): void {
    if (drafts.length === 0) return;
    const texts = [...drafts.map(({ text }) => text), this.#text.value];
    this.#text.value = texts.filter((text) => text.trim() !== "").join("\n\n");
    this.#images = [...drafts.flatMap(({ images }) => images), ...this.#images];
    this.#showImages();
    this.focus();
  }

  /** Updates the hints and buttons for the current state. */
  setWorking(isWorking: boolean): void {
    find("stop").hidden = !isWorking;
    find("send").textContent = isWorking ? "Steer" : "Send";
    find("hint").textContent = isWorking ? "Enter steers, Escape stops" : "Enter sends, Shift+Enter makes a new line";
    this.#text.placeholder = isWorking ? "Say something while it works…" : "Ask something…";
  }

  /** Leaves a selection alone, so that it can be copied. */
  focus(): void {
    if (getSelection()?.isCollapsed ?? true) this.#text.focus();
  }

  async #attach(files: readonly File[]): Promise<void> {
    for (const file of files) {
      const data = await readImage(file);
      if (typeof data === "string") this.#refuse(data);
      else this.#images.push(data);
    }
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
        button.ariaLabel = button.title;
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

/** The image, or the reason why it cannot be attached. */
async function readImage(file: File): Promise<ImageContent | string> {
  if (!IMAGE_TYPES.includes(file.type)) return `${file.name} is not a PNG, JPEG, WebP or GIF image.`;
  if (file.size > MAX_IMAGE_BYTES) return `${file.name} is larger than ${MAX_IMAGE_BYTES / 1e6} MB.`;
  try {
    return { type: "image", mimeType: file.type, data: await toBase64(file) };
  } catch {
    return `${file.name} cannot be read.`;
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
