/** Renders an image as a line that describes it and, where the terminal supports it, the image itself. */

import type { ImageBlock } from "@pith/context";
import { formatBytes } from "../../../text/format.ts";
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
  return truncateLine(`[picture: ${kind}${pixels}, ${formatBytes(Math.floor((data.length * 3) / 4))}]`, {
    width,
    style: theme.dim,
  });
}

/** As many lines as it has rows, each a row of its own: the last goes up, shows it and comes back down. */
function renderImageRows({ data, mimeType }: ImageBlock, { imageProtocol, width }: RenderContext): readonly string[] {
  const size = imageProtocol && isBase64(data) ? getImageDimensions(data, mimeType) : null;
  // Kitty's protocol takes PNG alone.
  if (!size || (imageProtocol === "kitty" && mimeType !== "image/png")) return [];
  const { columns, rows } = fitImage(size, width);
  const sequence =
    imageProtocol === "kitty"
      ? encodeKitty(data, { columns, rows, moveCursor: false })
      : encodeITerm2(data, { width: columns, height: rows });
  const cursorUp = rows > 1 ? `\x1b[${rows - 1}A` : "";
  return [...Array.from({ length: rows - 1 }, () => ""), `${IMAGE_LINE_PREFIX}${cursorUp}\x1b[2C${sequence}\x1b8`];
}

/** As wide as it may be, unless it would be too high then. */
function fitImage(size: ImageDimensions, width: number): { readonly columns: number; readonly rows: number } {
  const maxColumns = Math.max(1, Math.min(width - 4, MAX_IMAGE_COLUMNS));
  const rows = calculateImageRows(size, maxColumns, getCellDimensions());
  if (rows <= MAX_IMAGE_ROWS) return { columns: maxColumns, rows };
  return { columns: Math.max(1, Math.floor((maxColumns * MAX_IMAGE_ROWS) / rows)), rows: MAX_IMAGE_ROWS };
}

/** A session may come from strangers: nothing but its bytes may reach the terminal. */
function isBase64(data: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

/** Lines that show one begin so: the place of the cursor is kept. */
export const IMAGE_LINE_PREFIX = "\x1b7";

const MAX_HEADER_CHARS = 200_000;
const MAX_IMAGE_COLUMNS = 60;
const MAX_IMAGE_ROWS = 20;
