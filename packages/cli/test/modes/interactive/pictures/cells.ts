/** What a terminal shows, as rows of pieces that look alike. */

import type { IBufferCell, Terminal } from "@xterm/headless";

export interface Piece {
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

export type Row = readonly Piece[];

export function cellsOf(terminal: Terminal): readonly Row[] {
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
    ink: isReversed ? (background ?? "ground") : ink,
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
