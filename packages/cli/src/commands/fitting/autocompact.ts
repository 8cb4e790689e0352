/** `/autocompact`: whether anything is compacted by itself, and when that would be. */

import { mistake } from "../../asking/mistake.ts";
import { amount } from "../../printing/amounts.ts";
import { told } from "../answers.ts";
import type { Answer, Command, Desk } from "../command.ts";

export const autocompact: Command = {
  name: "autocompact",
  takes: "[on|off]",
  says: "whether anything is compacted by itself, and when; on and off change it while this program runs",
  examples: ["/autocompact", "/autocompact off"],
  async run(words, desk) {
    if (words !== "" && words !== "on" && words !== "off")
      return mistake(`/autocompact takes on or off, not "${words}"`);
    if (words !== "") desk.agent.setAutoCompactionEnabled(words === "on");
    return shown(desk, words !== "");
  },
};

function shown({ agent }: Desk, isChanged: boolean): Answer {
  const { limit, tail, limits } = agent.budget;
  const { enabled } = limits;
  const reserveTokens = limits.thresholds.find(({ reserve }) => reserve !== undefined)?.reserve ?? null;
  const keepRecentTokens = limits.tail.tokens;
  const lines = [
    `automatic compaction is ${enabled ? "on" : "off"}${isChanged ? " until this program ends" : ""}`,
    ...(isChanged ? [`to make it last: { "compaction": { "enabled": ${enabled} } } in ~/.pith/settings.json`] : []),
    enabled ? whenOf(limit) : "nothing is compacted unless you ask for it with /compact",
    `reserveTokens ${reserveTokens ?? "(none)"}: so much of the window stays free, at most a quarter of it`,
    `keepRecentTokens ${keepRecentTokens}: so much at the end stays as it was said; here ${tail}`,
  ];
  return told(lines.join("\n"), { enabled, limit: finite(limit), reserveTokens, keepRecentTokens, kept: tail });
}

function whenOf(limit: number): string {
  if (!Number.isFinite(limit))
    return "nobody knows this model's window: it happens when the provider refuses a request as too long";
  return `it happens when the context has more than ${amount(limit)} tokens`;
}

/** JSON knows no infinity. */
const finite = (limit: number): number | null => (Number.isFinite(limit) ? limit : null);
