/** Commands with large output, by size. */

export interface Flood {
  readonly grownMb: number;
  readonly seconds: number;
  readonly length: number;
  readonly lastLine: string;
  readonly details: { readonly exitCode: number | null; readonly bytes: number };
}

export interface FloodCase {
  readonly name: string;
  readonly command: string;
  readonly bytes: number;
}

export const MOST_GROWN_MB = 64;

/** Of so many bytes, but for those that take much time to read. */
export function floods(bytes: number): readonly FloodCase[] {
  const fifth = bytes / 5;
  return [
    { name: "one line", bytes, command: `head -c ${bytes} /dev/zero | tr '\\0' x` },
    { name: "lines without number", bytes, command: `yes | head -c ${bytes}` },
    { name: "a storm of progress", bytes: fifth, command: `yes $'50%\\r' | tr -d '\\n' | head -c ${fifth}` },
    { name: "colours without end", bytes: fifth, command: `yes $'\\e[31mred\\e[0m' | head -c ${fifth}` },
    { name: "nothing readable", bytes, command: `head -c ${bytes} /dev/zero` },
  ];
}
