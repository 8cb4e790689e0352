/** A new session in the folder of its working directory. */

import { resolve } from "node:path";
import { newHeader } from "../../session/codec/header.ts";
import { encodeSession } from "../../session/codec/session-file.ts";
import { orUnavailable } from "../files/unavailable.ts";
import { type Opened, openStore } from "../jsonl/open-store.ts";
import { createWhole } from "../jsonl/writing/rewrite.ts";
import { type HomeParts, settled } from "./home.ts";
import { newPlace } from "./placing/new-place.ts";

export interface NewSession extends HomeParts {
  /** The directory it belongs to. */
  readonly cwd: string;
  /** An id of the user's own; made up if not said. */
  readonly id?: string;
  readonly parentSession?: string;
}

/** Open for writing; an id that cannot be used is `unavailable`, with a sentence to show. */
export async function createSession({ cwd, id, parentSession, ...parts }: NewSession): Promise<Opened> {
  const all = settled(parts);
  return orUnavailable(`no session can be made for ${cwd}`, () => {
    const place = newPlace(cwd, { ...all, id });
    if (place.type !== "free") return place;
    const header = newHeader({ cwd: resolve(cwd), ...(parentSession !== undefined && { parentSession }) }, place.ports);
    createWhole(place.path, encodeSession([JSON.stringify(header)], place.ports.checksum), all.files);
    return openStore(place.path, all);
  });
}
