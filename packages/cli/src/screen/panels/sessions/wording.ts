/** What a session is called, and where it belongs, for people. Pure. */

import type { SessionItem } from "@pith/context/node";
import { oneLine } from "../../../printing/one-line.ts";
import type { About } from "./sessions-state.ts";

/** Its name; else what its newest checkpoint says of it; else how it began. */
export function aboutTold(item: SessionItem, about: About | undefined): string {
  if (item.damaged !== undefined) return `damaged: ${item.damaged}`;
  if (item.name !== undefined) return item.name;
  if (about?.gist) return about.gist;
  return item.firstMessage === "" ? "(nothing was said)" : item.firstMessage;
}

export function folderTold(folder: string, userHome: string): string {
  const isInside = folder === userHome || folder.startsWith(`${userHome}/`);
  return oneLine(isInside ? `~${folder.slice(userHome.length)}` : folder);
}
