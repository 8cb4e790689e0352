/** `/context` on a screen: a page to walk through. */

import { entryWords } from "@pith/context";
import { contextReport } from "../../../commands/fitting/context-report.ts";
import { contextNext } from "../../../commands/fitting/context-text.ts";
import { contextPage } from "../../panels/fitting/context/page.ts";
import { meterOf } from "../../state/meter-of.ts";
import type { Opener } from "../talking.ts";

export const openContext: Opener = async (words, { ready, screen }) => {
  if (words !== "") return false;
  const { session, budget } = ready.built.agent;
  await session.settle();
  const { window } = session;
  const report = contextReport(window, budget);
  const entries = new Map(window.entries.map((entry) => [entry.id, entry]));
  const entryText = (id: string): string => {
    const entry = entries.get(id);
    const text = entry ? entryWords(entry, window.edits) : "";
    return text.trim() === "" ? JSON.stringify(entry, null, 2) : text;
  };
  const page = contextPage({ report, meter: meterOf(window, budget), next: contextNext(report), entryText });
  await screen.ask(page, { where: "page" });
  return true;
};
