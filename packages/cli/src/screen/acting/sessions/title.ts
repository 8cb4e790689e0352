/** The title of the terminal: what the session is called, and the folder one works in. */

import { basename } from "node:path";
import { type Entry, plainText } from "@pith/context";
import { plain } from "../../../printing/plain.ts";
import type { Stage } from "../../stage.ts";
import type { Talking } from "../talking.ts";

export async function showTitle({ ready, screen }: Talking): Promise<void> {
  const { agent } = ready.built;
  show(agent.session.redacted((await agent.session.store.name()) ?? ""), { screen, folder: ready.place.cwd });
}

/** A session that gets another name has another title. */
export function titled(entry: Entry, screen: Pick<Stage, "send">): void {
  if (entry.type === "session_info") show(entry.name ?? "", { screen, folder: process.cwd() });
}

/** At the start, so that what stood there before can come back; not every terminal can. */
export const keepTitle = "\x1b[22;0t";
export const restoreTitle = "\x1b[23;0t";

interface TitlePlace {
  readonly screen: Pick<Stage, "send">;
  readonly folder: string;
}

function show(name: string, { screen, folder }: TitlePlace): void {
  const words = [name, basename(folder), "pith"]
    .map((word) => plain(plainText(word, MOST)))
    .filter((word) => word !== "");
  screen.send(`\x1b]0;${words.join(" · ")}\x07`);
}

const MOST = 60;
