/** What the disk would not do, as a value that says why and what to do next. */

import { refusalNotes } from "../../session/store.ts";
import { diskError } from "./files.ts";

export interface Unavailable {
  readonly type: "unavailable";
  /** The system's name for it, such as `ENOSPC`. */
  readonly code: string;
  readonly why: string;
}

/** Throws what the disk did not say. */
export function unavailable(what: string, error: unknown): Unavailable {
  const code = diskError(error);
  if (code === "") throw error;
  return { type: "unavailable", code, why: `${what}: ${advice[code] ?? `the disk gave ${code}; try again`}` };
}

/** Does it, or says what the disk had against it; `what` begins the sentence. */
export async function orUnavailable<Outcome>(
  what: string,
  act: () => Outcome | Promise<Outcome>,
): Promise<Outcome | Unavailable> {
  try {
    return await act();
  } catch (error) {
    return unavailable(what, error);
  }
}

/** For what is only a convenience: null where the disk will not have it. */
export function orNull<Made>(make: () => Made): Made | null {
  try {
    return make();
  } catch (error) {
    if (diskError(error) === "") throw error;
    return null;
  }
}

const full = refusalNotes["disk-full"];
const forbidden = "that is not allowed; check the permissions of the file and of its folder";
const advice: Readonly<Record<string, string>> = {
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: full,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: "the disk is read-only; choose a place on another",
  ENOENT: "it is not there; check the path, or look for the session by its id",
  EEXIST: "something has that name already; choose another",
  EXDEV: "the two places lie on different disks; clone the session to the other, then put this one into the trash",
  ELOOP: "a symbolic link stands there; name the file itself",
  EISDIR: "a folder stands there; name a file",
  ENOTDIR: "a part of the path is no folder; check the path",
  EIO: refusalNotes["disk-error"],
  EMFILE: "too many files are open; close some and try again",
};
