/** Which paths a glob fits. Matching takes time in proportion to both, whatever a model writes: a regular expression might not. */

import { alternatives } from "./alternatives.ts";
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

/** All places in the glob where one may be are carried along from name to name. */
function fitsPath(steps: readonly Step[], names: readonly string[]): boolean {
  let places = withSkipped([0], steps);
  for (const name of names) {
    const next = places.flatMap((place) => {
      const step = steps[place];
      if (step === undefined) return [];
      if (step === ANY_FOLDERS) return [place];
      return fitsName(step, name) ? [place + 1] : [];
    });
    places = withSkipped(next, steps);
  }
  return places.includes(steps.length);
}

/** Any folders may be none. */
function withSkipped(places: readonly number[], steps: readonly Step[]): readonly number[] {
  const all = new Set(places);
  for (const place of all) if (steps[place] === ANY_FOLDERS) all.add(place + 1);
  return [...all];
}
