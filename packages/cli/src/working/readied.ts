/** All that must be there before anything is done: trust, settings, what is said, and the parts of the agent. */

import { homedir } from "node:os";
import { LARGEST_PICTURE, type Listen } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import type { Redaction } from "@pith/context";
import { pithHome } from "@pith/context/node";
import { type Mistake, mistake } from "../asking/mistake.ts";
import type { Wish } from "../asking/wish.ts";
import { type Built, build } from "../build.ts";
import type { Sources } from "../home/choose.ts";
import { UNREDACTED, vaultHere } from "../home/secrets/vault-here.ts";
import { whatHolds } from "../home/what-holds.ts";
import type { Place } from "../place.ts";
import { contentOf, type Said } from "../prompting/content.ts";
import { piped } from "../prompting/piped.ts";

export interface Ready {
  readonly type: "ready";
  readonly wish: Wish;
  readonly built: Extract<Built, { type: "built" }>;
  readonly place: Place;
  readonly sources: Sources;
  /** Null where the words may be a command, which is asked first. */
  readonly said: Exclude<Said, Mistake> | null;
}

/** Nobody's mistake, and still nothing can be done. */
type Unready = Extract<Built, { type: "failed" }>;

export interface Telling extends Pick<Place, "ask" | "hooks" | "needsModel"> {
  /** Told everything that happens. */
  readonly listen: Listen;
  /** For people. */
  readonly note: (line: string) => void;
  /** From now on nothing that it holds for a secret is told to anybody. */
  readonly conceal: (redaction: Redaction) => void;
}

export async function readied(wish: Wish, telling: Telling): Promise<Ready | Mistake | Unready> {
  const { listen, note, conceal, ask, hooks } = telling;
  const places = { cwd: process.cwd(), home: pithHome(), userHome: homedir(), environment: process.env };
  const holds = await whatHolds(wish, places);
  if (holds.type === "mistake") return holds;
  const { choices, sources, trusted } = holds;
  const vault = await vaultHere({ ...places, choices });
  if (vault) conceal(vault);
  const isCall = wish.words.startsWith("/");
  // On a screen it is said once there is one.
  const said = isCall || wish.output === "screen" ? null : await saidIn(wish, note);
  if (said?.type === "mistake") return said;
  const place: Place = {
    ...{ ...places, choices, trusted, vault, note, listen },
    ...{ needsModel: telling.needsModel ?? !isCall, ...(ask && { ask }), ...(hooks && { hooks }) },
  };
  const built = await build(wish, place);
  if (built.type === "failed") return built.code === 1 ? built : mistake(built.message);
  for (const line of [...holds.notes, ...(vault ? [] : [UNREDACTED]), ...built.notes]) note(line);
  return { type: "ready", wish, built, place, sources, said };
}

export function saidIn(wish: Wish, note: (line: string) => void): Promise<Said> {
  const files = nodeFiles({ root: process.cwd(), mostBytes: LARGEST_PICTURE });
  return contentOf(wish, { files, piped: () => piped(note) });
}
