/** A look into one session, beside the list: what it is, what it wants, and what was said last. Pure. */

import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { ageTold, bytesTold, costTold, counted } from "../../../printing/amounts.ts";
import { plain } from "../../../printing/plain.ts";
import type { Sight } from "../panel.ts";
import type { SessionRow } from "./session-rows.ts";
import type { SessionsPlace } from "./session-source.ts";
import type { About } from "./sessions-state.ts";
import { folderTold } from "./wording.ts";

export interface PreviewPlace extends SessionsPlace {
  /** Undefined until it was looked at. */
  readonly about: About | undefined;
}

export function drawPreview({ item }: SessionRow, sight: Sight, place: PreviewPlace): readonly string[] {
  const { theme } = sight;
  const { about } = place;
  const part = (title: string, text: string | null | undefined, most: number): readonly string[] =>
    text ? ["", theme.dim(title), ...wrapped(text, sight).slice(0, most)] : [];
  const lines = [
    ...wrapped(item.name ?? item.firstMessage, sight)
      .slice(0, 2)
      .map((line) => theme.strong(line)),
    theme.dim(plain(folderTold(item.cwd, place.userHome))),
    theme.dim(`${ageTold(place.now() - item.modified)} · ${bytesTold(item.size)}${figures(about)}`),
    ...(about?.model ? [theme.dim(plain(about.model))] : []),
    ...(about?.isForeign ? [theme.dim("written by another program")] : []),
    ...(item.damaged === undefined ? [] : wrapped(item.damaged, sight).map((line) => theme.bad(line))),
    ...part("what it is about", about?.gist, MANY),
    ...part("you said last", about?.lastSaid, FEW),
    ...part("it answered", about?.lastAnswer, MANY),
  ];
  return lines.slice(0, sight.height);
}

const FEW = 4;
const MANY = 8;

function figures(about: About | undefined): string {
  const { entries, branches, cost } = about ?? {};
  const parts = [
    ...(entries === undefined ? [] : [counted(entries, "entry", "entries")]),
    ...(branches === undefined || branches < 2 ? [] : [counted(branches, "branch", "branches")]),
    ...(cost === undefined || cost === 0 ? [] : [costTold(cost)]),
  ];
  return parts.map((part) => ` · ${part}`).join("");
}

function wrapped(text: string, { width }: Sight): readonly string[] {
  return wrapTextWithAnsi(plain(text).replaceAll("\t", " "), Math.max(10, width));
}
