/** Renders an image as a line that describes it and, if the terminal supports it, the image itself. */

import type { ImageBlock } from "@pith/context";
import { formatBytes } from "@pith/host/text/format";
import {
  calculateImageRows,
  encodeITerm2,
  encodeKitty,
  getCellDimensions,
  getImageDimensions,
  type ImageDimensions,
} from "../terminal/pi-tui.ts";
import { truncateLine } from "./text.ts";
import type { RenderContext } from "./theme.ts";

export function renderImage(image: ImageBlock, context: RenderContext): readonly string[] {
  return [describeImage(image, context), ...renderImageRows(image, context)];
}

function describeImage({ data, mimeType }: ImageBlock, { width, theme }: RenderContext): string {
  const size = isBase64(data) ? getImageDimensions(data.slice(0, MAX_HEADER_CHARS), mimeType) : null;
  const pixels = size ? `, ${size.widthPx}×${size.heightPx}` : "";
  const kind = mimeType.replace(/^image\//, "").slice(0, 20);
  return truncateLine(`[image: ${kind}${pixels}, ${formatBytes(Math.floor((data.length * 3) / 4))}]`, {
    width,
    style: theme.dim,
  });
}

/** Returns one line per row of the image. The last line moves the cursor up, draws the image and restores the cursor. */
function renderImageRows({ data, mimeType }: ImageBlock, { imageProtocol, width }: RenderContext): readonly string[] {
  const size = imageProtocol && isBase64(data) ? getImageDimensions(data, mimeType) : null;
  // Kitty's protocol accepts only PNG.
  if (!size || (imageProtocol === "kitty" && mimeType !== "image/png")) return [];
  const { columns, rows } = fitImage(size, width);
  const sequence =
    imageProtocol === "kitty"
      ? encodeKitty(data, { columns, rows, moveCursor: false })
      : encodeITerm2(data, { width: columns, height: rows });
  const cursorUp = rows > 1 ? `\x1b[${rows - 1}A` : "";
  return [...Array.from({ length: rows - 1 }, () => ""), `${IMAGE_LINE_PREFIX}${cursorUp}\x1b[2C${sequence}\x1b8`];
}

/** Uses the maximum width, unless the image would become too high. */
function fitImage(size: ImageDimensions, width: number): { readonly columns: number; readonly rows: number } {
  const maxColumns = Math.max(1, Math.min(width - 4, MAX_IMAGE_COLUMNS));
  const rows = calculateImageRows(size, maxColumns, getCellDimensions());
  if (rows <= MAX_IMAGE_ROWS) return { columns: maxColumns, rows };
  return { columns: Math.max(1, Math.floor((maxColumns * MAX_IMAGE_ROWS) / rows)), rows: MAX_IMAGE_ROWS };
}

/** A session file may be untrusted, so only valid base64 may reach the terminal. */
function isBase64(data: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

/** Starts a line that draws an image: saves the cursor position. */
export const IMAGE_LINE_PREFIX = "\x1b7";

const MAX_HEADER_CHARS = 200_000;
const MAX_IMAGE_COLUMNS = 60;
const MAX_IMAGE_ROWS = 20;
