/** `pnpm bench tokens`: how far estimated tokens are from real ones, on texts nobody fitted them to and on whole sessions. */

import { textTokens } from "@pith/context";
import { estimateTokenCount } from "tokenx";
import type { Figures, Settings, Suite } from "../suite.ts";
import { heldOutKinds } from "./held-out-kinds.ts";
import type { Kind } from "./kind.ts";
import { errorTable, kindErrors, worst } from "./kind-errors.ts";
import { sessionErrors } from "./session-errors.ts";
import { megabytesPerSecond } from "./speed.ts";

export const tokensSuite: Suite = {
  name: "tokens",
  about: "estimated tokens beside real ones: kinds of text, speed, whole sessions",
  run: runTokens,
};

async function runTokens(settings: Settings): Promise<Figures> {
  const kinds = heldOutKinds(settings);
  settings.say(`counting ${kinds.length} kinds of text by o200k_base`);
  const errors = kinds.map(kindErrors);
  settings.say(`\n${errorTable(errors)}\n`);
  const ours = worst(errors, "ours");
  return {
    worst_error: Math.abs(ours.ours),
    worst_kind: ours.name,
    kinds: errors.length,
    lowest: Math.min(...errors.map((each) => each.ours)) + 1,
    chars4_worst: Math.abs(worst(errors, "chars4").chars4),
    tokenx_worst: Math.abs(worst(errors, "tokenx").tokenx),
    ...speeds(kinds, settings),
    ...(await sessionErrors(kinds, settings)),
    ...Object.fromEntries(errors.map(({ name, ours }) => [`error_${name.replace(/\W+/g, "_")}`, ours])),
  };
}

function speeds(kinds: readonly Kind[], { say, quick }: Settings): Figures {
  const mixed = kinds.map(({ text }) => text).join("\n");
  say(`measuring the speed on ${(Buffer.byteLength(mixed) / 1e6).toFixed(1)} MB`);
  return {
    mb_per_s: megabytesPerSecond(textTokens, mixed, quick ? 9 : 25),
    tokenx_mb_per_s: megabytesPerSecond(estimateTokenCount, mixed, quick ? 3 : 9),
  };
}
