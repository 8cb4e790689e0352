/** Pictures that were pasted: each has a marker in the words, and is said where its marker still stands when they are sent. */

import { LARGEST_PICTURE, pictureKind } from "@pith/agent";
import type { ImageBlock } from "@pith/context";
import type { Picture } from "../written.ts";

/** So many bytes of them are kept, the newest first: an undo or the history may bring a marker back. */
const MOST_BYTES = 32 * 1024 * 1024;

export type Taken =
  | { readonly type: "taken"; readonly marker: string }
  | { readonly type: "refused"; readonly why: string };

export class Pictures {
  #kept: readonly Picture[] = [];
  #count = 0;

  take(bytes: Uint8Array): Taken {
    const mimeType = pictureKind(bytes);
    if (mimeType === null) return { type: "refused", why: "that is no picture (png, jpeg, gif, webp)" };
    if (bytes.length > LARGEST_PICTURE)
      return { type: "refused", why: `the picture has ${sized(bytes.length)}; up to 3.75 MB can be said` };
    return {
      type: "taken",
      marker: this.put({ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType }),
    };
  }

  /** The marker of it. */
  put(image: ImageBlock): string {
    this.#count += 1;
    const kind = image.mimeType.replace("image/", "");
    const marker = `[picture ${this.#count}: ${sized(bytesIn(image))} ${kind}]`;
    this.#kept = bounded([...this.#kept, { marker, image }]);
    return marker;
  }

  /** In the order in which they are named, each once. */
  in(text: string): readonly Picture[] {
    const at = (each: Picture): number => text.indexOf(each.marker);
    return this.#kept.filter((each) => at(each) >= 0).toSorted((one, other) => at(one) - at(other));
  }
}

function bounded(pictures: readonly Picture[]): readonly Picture[] {
  let bytes = 0;
  const over = pictures.findLastIndex(({ image }) => {
    bytes += bytesIn(image);
    return bytes > MOST_BYTES;
  });
  return pictures.slice(over + 1);
}

function bytesIn({ data }: ImageBlock): number {
  return Buffer.byteLength(data, "base64");
}

function sized(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
