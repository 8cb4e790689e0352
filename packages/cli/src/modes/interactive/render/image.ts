/** Renders an image as a line that describes it and, where the terminal supports it, the image itself. */

import type { ImageBlock } from "@pith/context";
import { bytesTold } from "../../../text/format.ts";
import {
  calculateImageRows,
  encodeITerm2,
  encodeKitty,
  getCellDimensions,
  getImageDimensions,
  type ImageDimensions,
} from "../terminal/pi-tui.ts";
import { cut } from "./text.ts";
import type { Brush } from "./theme.ts";

export function drawPicture(image: ImageBlock, brush: Brush): readonly string[] {
  return [pictureTold(image, brush), ...pictureRows(image, brush)];
}

function pictureTold({ data, mimeType }: ImageBlock, { width, theme }: Brush): string {
  const size = isPicture(data) ? getImageDimensions(data.slice(0, HEAD), mimeType) : null;
  const pixels = size ? `, ${size.widthPx}×${size.heightPx}` : "";
  const kind = mimeType.replace(/^image\//, "").slice(0, 20);
  return cut(`[picture: ${kind}${pixels}, ${bytesTold(Math.floor((data.length * 3) / 4))}]`, { width, ink: theme.dim });
}

/** As many lines as it has rows, each a row of its own: the last goes up, shows it and comes back down. */
function pictureRows({ data, mimeType }: ImageBlock, { pictures, width }: Brush): readonly string[] {
  const size = pictures && isPicture(data) ? getImageDimensions(data, mimeType) : null;
  // Kitty's protocol takes PNG alone.
  if (!size || (pictures === "kitty" && mimeType !== "image/png")) return [];
  const { columns, rows } = cellsOf(size, width);
  const shown =
    pictures === "kitty"
      ? encodeKitty(data, { columns, rows, moveCursor: false })
      : encodeITerm2(data, { width: columns, height: rows });
  const up = rows > 1 ? `\x1b[${rows - 1}A` : "";
  return [...Array.from({ length: rows - 1 }, () => ""), `${PICTURE}${up}\x1b[2C${shown}\x1b8`];
}

/** As wide as it may be, unless it would be too high then. */
function cellsOf(size: ImageDimensions, width: number): { readonly columns: number; readonly rows: number } {
  const widest = Math.max(1, Math.min(width - 4, WIDEST));
  const rows = calculateImageRows(size, widest, getCellDimensions());
  if (rows <= HIGHEST) return { columns: widest, rows };
  return { columns: Math.max(1, Math.floor((widest * HIGHEST) / rows)), rows: HIGHEST };
}

/** A session may come from strangers: nothing but its bytes may reach the terminal. */
function isPicture(data: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

/** Lines that show one begin so: the place of the cursor is kept. */
export const PICTURE = "\x1b7";

const HEAD = 200_000;
const WIDEST = 60;
const HIGHEST = 20;
