/** Which paths a glob fits, as models write it: with braces, choices of characters, and a meaning where it has no slash. */

import { alternatives } from "./alternatives.ts";
import { fitsWithGaps } from "./fits-with-gaps.ts";
import { fitsName, type Sign, signsOf } from "./name-pattern.ts";

export type Fits = (path: string) => boolean;

/** One without a slash is held against names in any folder, one with a slash against whole paths. Null: it stands for too many. */
export function fitting(glob: string): Fits | null {
  const globs = alternatives(glob)?.map(stepsOf);
  if (!globs) return null;
  return (path) => {
    const names = path.split("/");
    return globs.some((steps) => fitsPath(steps, names));
  };
}

/** A glob for names alone that misses no file which the whole one fits; null where there is none that everybody reads alike. */
export function nameGlob(glob: string): string | null {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return /^(?!.*\*\*)[\w.*?-]+(?:\{[\w.*?,-]+\})?$/.test(name) ? name : null;
}

const ANY_FOLDERS = "**";

type Step = typeof ANY_FOLDERS | readonly Sign[];

function stepsOf(glob: string): readonly Step[] {
  const path = glob.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, `/${ANY_FOLDERS}`);
  const names = path.includes("/") ? path.split("/") : [ANY_FOLDERS, path];
  return names.map((name) => (name === ANY_FOLDERS ? ANY_FOLDERS : signsOf(name)));
}

function fitsPath(steps: readonly Step[], names: readonly string[]): boolean {
  return fitsWithGaps(steps, names, {
    isGap: (step) => step === ANY_FOLDERS,
    isFit: (step, name) => step !== ANY_FOLDERS && fitsName(step, name),
  });
}
