/** `/autocompact` on a screen: alone it asks, shows what holds, and keeps the answer for all sessions to come. */

import { saveSetting } from "../../../home/save-setting.ts";
import { autoChoice } from "../../panels/fitting/auto-choice.ts";
import { show } from "../show-answer.ts";
import type { Opener } from "../talking.ts";
import { refreshMeter } from "./refresh-meter.ts";

export const openAutocompact: Opener = async (words, talking) => {
  const { ready, desk, screen } = talking;
  if (words !== "") {
    const { autocompact } = await import("../../../commands/fitting/autocompact.ts");
    await show(await autocompact.run(words, desk), talking);
    refreshMeter(talking);
    return true;
  }
  const { agent } = ready.built;
  const wanted = await screen.ask(autoChoice(agent.budget), { where: "inline" });
  if (wanted === null) return true;
  agent.setAutoCompactionEnabled(wanted);
  refreshMeter(talking);
  const unsaved = await saveSetting({ path: ["compaction", "enabled"], value: wanted, home: desk.home });
  if (unsaved) screen.tell(`${unsaved.message}; it holds until you leave`, "bad");
  else
    screen.tell(
      `Automatic compaction is ${wanted ? "on" : "off"}, here and from now on ("compaction.enabled").`,
      "good",
    );
  return true;
};
