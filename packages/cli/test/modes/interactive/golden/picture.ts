/** Draws the pictures of README and docs: the screen of a scene becomes a page, and Chromium draws it. `pnpm pictures` draws those whose scene has changed. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import type { IBufferCell, Terminal } from "@xterm/headless";
import { expect, test } from "vitest";
import { loadHighlighter } from "../../../../src/modes/interactive/render/markdown.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import { createTestScreen, sampleFooter, type TestScreen } from "../../../support/test-screen.ts";

const [COLUMNS, ROWS] = [100, 28];

/** What `docs/pictures/NAME.png` shows is what the screen shows after `act`. */
export function picture(name: string, act: (shown: TestScreen) => Promise<void> | void): void {
  test(`SCR4 docs/pictures/${name}.png is current; if it is not: pnpm pictures`, async () => {
    const file = join(import.meta.dirname, "../../../../../../docs/pictures", `${name}.png`);
    const { page, rows } = await shownPage(act);
    const digest = createHash("sha256").update(page).digest("hex");
    const isCurrent = existsSync(file) && markOf(readFileSync(file)) === digest;
    if (!isCurrent && process.env.PITH_PICTURES === "write") {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, marked(drawPage(page, { columns: COLUMNS, rows }), digest));
    }
    expect(markOf(readFileSync(file))).toBe(digest);
  });
}

async function shownPage(act: (shown: TestScreen) => Promise<void> | void): Promise<{ page: string; rows: number }> {
  // Otherwise the colors would depend on how fast it loads.
  await loadHighlighter();
  const shown = createTestScreen({
    columns: COLUMNS,
    rows: ROWS,
    start: { footer: sampleFooter },
    theme: createTheme("dark", { hasTrueColor: true }),
  });
  await act(shown);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await shown.terminal.waitUntilDrawn();
  const cells = cellsOf(shown.terminal.emulator);
  shown.screen.stop();
  // Nothing is learnt from empty rows.
  const last = cells.findLastIndex((row) => row.some(({ text }) => text.trim() !== ""));
  const rows = cells.slice(0, last + 1);
  return { page: pageOf(rows), rows: rows.length };
}

const INK = "#d8dee9";
const BACKGROUND = "#1c2128";

function pageOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => row.map(spanOf).join("")).join("\n");
  return `<!doctype html><meta charset="utf-8"><style>
html,body{margin:0;background:${BACKGROUND}}
pre{margin:0;padding:14px 16px;font:14px/18px "DejaVu Sans Mono",monospace;color:${INK};display:inline-block}
</style><pre>${lines}</pre>`;
}

/** In pixels, with its margins; a letter of this font at this size is 8.43 wide. */
function pageSize(columns: number, rows: number): { readonly width: number; readonly height: number } {
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
  return colour === "background" ? BACKGROUND : colour;
}

function drawPage(page: string, { columns, rows }: { readonly columns: number; readonly rows: number }): Buffer {
  const place = mkdtempSync(join(tmpdir(), "pith-picture-"));
  const [html, png] = [join(place, "page.html"), join(place, "page.png")];
  try {
    const { width, height } = pageSize(columns, rows);
    writeFileSync(html, page);
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=2"];
    const where = [`--window-size=${width},${height}`, `--user-data-dir=${place}`, `--screenshot=${png}`];
    execFileSync("chromium", [...flags, ...where, `file://${html}`], { stdio: "ignore" });
    return readFileSync(png);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

interface Piece {
  readonly text: string;
  /** `#rrggbb`, or null for the terminal's own. */
  readonly ink: string | null;
  readonly background: string | null;
  readonly isStrong: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  /** Takes two places: alone, since fonts differ in how wide they draw it. */
  readonly isWide: boolean;
}

type Row = readonly Piece[];

function cellsOf(terminal: Terminal): readonly Row[] {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.viewportY + row);
    const pieces: Piece[] = [];
    for (let column = 0; column < terminal.cols; column += 1) {
      const cell = line?.getCell(column);
      // The second half of a wide sign.
      if (!cell || cell.getWidth() === 0) continue;
      add(pieces, pieceOf(cell));
    }
    return pieces;
  });
}

function add(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (last && !piece.isWide && sameLook(last, piece))
    pieces[pieces.length - 1] = { ...last, text: last.text + piece.text };
  else pieces.push(piece);
}

function sameLook({ text: _, ...one }: Piece, { text: __, ...other }: Piece): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function pieceOf(cell: IBufferCell): Piece {
  const ink = colourOf(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor());
  const background = colourOf(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor());
  const isReversed = cell.isInverse() !== 0;
  return {
    text: cell.getChars() || " ",
    ink: isReversed ? (background ?? "background") : ink,
    background: isReversed ? (ink ?? "ink") : background,
    isStrong: cell.isBold() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
    isWide: cell.getWidth() === 2,
  };
}

function colourOf(isOwn: boolean, isRgb: boolean, colour: number): string | null {
  if (isOwn) return null;
  return isRgb ? hex(colour) : hex(palette(colour));
}

/** Sixteen of the terminal's own, a cube of six by six by six, and greys. */
function palette(colour: number): number {
  if (colour < 16) return FIRST[colour] ?? 0;
  if (colour >= 232) return ((colour - 232) * 10 + 8) * 0x010101;
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  const [red, green, blue] = [Math.floor((colour - 16) / 36), Math.floor(((colour - 16) % 36) / 6), (colour - 16) % 6];
  return (level(red) << 16) | (level(green) << 8) | level(blue);
}

// biome-ignore format: two rows of eight.
const FIRST = [
  0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5,
  0x666666, 0xf14c4c, 0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff,
];

function hex(colour: number): string {
  return `#${colour.toString(16).padStart(6, "0")}`;
}

const KEYWORD = "pith:made-of";

/** Behind the header, where readers that do not know it pass over it. */
function marked(png: Buffer, digest: string): Buffer {
  const end = HEADER_END;
  return Buffer.concat([png.subarray(0, end), chunk("tEXt", Buffer.from(`${KEYWORD}\0${digest}`)), png.subarray(end)]);
}

/** Null where it says nothing. */
function markOf(png: Buffer): string | null {
  for (let at = SIGNATURE; at + 8 <= png.length; at += png.readUInt32BE(at) + 12) {
    const text = png.toString("latin1", at + 8, at + 8 + png.readUInt32BE(at));
    if (png.toString("latin1", at + 4, at + 8) === "tEXt" && text.startsWith(`${KEYWORD}\0`))
      return text.slice(KEYWORD.length + 1);
  }
  return null;
}

const SIGNATURE = 8;
const HEADER_END = SIGNATURE + 25;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
