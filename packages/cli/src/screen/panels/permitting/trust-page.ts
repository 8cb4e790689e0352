/** The question whether a folder is trusted: all that would count from it, and the three answers. */

import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../../printing/plain.ts";
import type { Panel, Sight } from "../panel.ts";
import { type PageState, textPage } from "../reading/text-page.ts";

export type TrustAnswer = "always" | "once" | "no";

/** `text` says what the folder holds, for people; nobody's words in it are trusted. */
export function trustPage(text: string): Panel<PageState, TrustAnswer> {
  return textPage<TrustAnswer>({
    title: "Do you trust this folder?",
    lines: (sight) => linesOf(text, sight),
    options: [
      { key: "n", label: "No", value: "no" },
      { key: "o", label: "Only this time", value: "once" },
      { key: "y", label: "Yes, as it is now", value: "always" },
    ],
  });
}

const WHAT =
  "It brings settings, skills, templates or servers of its own. They count only if you trust them. You are asked again when they change.";

function linesOf(text: string, { width, theme }: Sight): readonly string[] {
  const room = Math.max(10, width - 2);
  const told = plain(text).replaceAll("\t", "    ").split("\n");
  return [
    ...wrapTextWithAnsi(WHAT, room).map((line) => ` ${theme.dim(line)}`),
    "",
    ...told.flatMap((line) => (line === "" ? [""] : wrapTextWithAnsi(line, room).map((part) => ` ${part}`))),
  ];
}
