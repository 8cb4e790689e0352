/** Rows of a terminal as a page that a browser draws. */

import type { Piece, Row } from "./cells.ts";

const INK = "#d8dee9";
const GROUND = "#1c2128";

export function pageOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => row.map(spanOf).join("")).join("\n");
  return `<!doctype html><meta charset="utf-8"><style>
html,body{margin:0;background:${GROUND}}
pre{margin:0;padding:14px 16px;font:14px/18px "DejaVu Sans Mono",monospace;color:${INK};display:inline-block}
</style><pre>${lines}</pre>`;
}

/** In pixels, with its margins; a letter of this font at this size is 8.43 wide. */
export function pageSize(columns: number, rows: number): { readonly width: number; readonly height: number } {
  return { width: Math.ceil(columns * 8.43) + 32, height: rows * 18 + 28 };
}

function spanOf({ text, ink, background, isStrong, isItalic, isUnderlined, isWide }: Piece): string {
  const style = [
    ...(ink === null ? [] : [`color:${named(ink)}`]),
    ...(background === null ? [] : [`background:${named(background)}`]),
    ...(isStrong ? ["font-weight:bold"] : []),
    ...(isItalic ? ["font-style:italic"] : []),
    ...(isUnderlined ? ["text-decoration:underline"] : []),
    ...(isWide ? ["display:inline-block;width:2ch;height:18px;vertical-align:top"] : []),
  ].join(";");
  const safe = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return style === "" ? safe : `<span style="${style}">${safe}</span>`;
}

function named(colour: string): string {
  if (colour === "ink") return INK;
  return colour === "ground" ? GROUND : colour;
}
