/** What a screen shows before anything is known. */

import type { ScreenState } from "./screen-state.ts";

export const nothingShown: ScreenState = {
  blocks: [],
  serial: 0,
  above: null,
  isUnfolded: false,
  work: { type: "idle" },
  shell: [],
  queue: { steering: [], followUp: [] },
  facts: {
    model: "",
    thinking: "",
    folder: "",
    gitBranch: null,
    sessionName: null,
    place: null,
    cost: 0,
    isSandboxed: false,
    mode: "edit",
    meter: null,
  },
  hint: null,
};
