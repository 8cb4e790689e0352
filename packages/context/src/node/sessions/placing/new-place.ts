/** Where a new session will lie, and who it will be: id, path, and ports that say the same again. */

import { dirname, join } from "node:path";
import type { Header } from "../../../entry.ts";
import type { Ports } from "../../../ports.ts";
import type { Files } from "../../files/files.ts";
import type { Unavailable } from "../../files/unavailable.ts";
import type { HomeParts } from "../home.ts";
import { fileName } from "./file-name.ts";
import { nameMatches } from "./ids-by-name.ts";
import { wrongId } from "./session-id.ts";
import { madeWorkFolder, notedCwd } from "./work-folder.ts";

export interface NewPlace {
  readonly type: "free";
  readonly path: string;
  /** Time and id of the new session, however often they are asked for. */
  readonly ports: Ports;
}

/** Makes the folder; an id that cannot be used, or is, comes back as a sentence. */
export function newPlace(
  cwd: string,
  { id, ...parts }: Required<HomeParts> & { readonly id?: string | undefined },
): NewPlace | Unavailable {
  const wrong = id === undefined ? null : (wrongId(id) ?? takenId(id, parts));
  if (wrong) return { type: "unavailable", code: "EINVAL", why: wrong };
  const now = parts.ports.now();
  const fresh = id ?? parts.ports.sessionId();
  const ports = { ...parts.ports, now: () => now, sessionId: () => fresh };
  return { type: "free", path: join(madeWorkFolder(cwd, parts), fileName(fresh, now)), ports };
}

/** The directory a session belongs to now: of the folder it lies in, else of its header, else where the file is. */
export function cwdOf(path: string, { cwd }: Pick<Header, "cwd">, files: Files): string {
  return notedCwd(dirname(path), files) ?? (typeof cwd === "string" && cwd !== "" ? cwd : dirname(path));
}

function takenId(id: string, parts: Required<HomeParts>): string | null {
  const [taken] = nameMatches((each) => each === id, parts);
  return taken ? `the session ${id} is there already (${taken.path}); open that one, or choose another id` : null;
}
