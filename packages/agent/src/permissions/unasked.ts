/** What is said where nobody is there to be asked: to the model that it may not, to the person how it could. */

import { type Decision, decide, type Standing } from "./decide.ts";
import { offeredRules } from "./rules/offered.ts";
import type { Sight } from "./sight.ts";
import type { Mode } from "./table.ts";

export function unasked(sight: Sight, { because }: Extract<Decision, { type: "asked" }>, standing: Standing): string {
  switch (because) {
    case "again":
      return "not permitted: it was begun before and may have been done, and nobody is here to ask whether to do it again";
    case "rule":
      return "not permitted: a rule wants the user to be asked, and nobody is here to ask";
    case "doubt":
      return "not permitted: it may be what a rule denies, and nobody is here to ask; plainer commands can be told apart";
    case "mode":
      return `not permitted: nobody is here to ask${ways(sight, standing)}`;
  }
}

function ways(sight: Sight, standing: Standing): string {
  const [rule] = offeredRules(sight, standing.ground);
  const mode = WIDER.find((wider) => decide(sight, { ...standing, mode: wider }).type === "allowed");
  const flags = [rule && `--allow ${quoted(rule.text)}`, mode && `--permission-mode ${mode}`].filter(
    (flag) => flag !== undefined,
  );
  return flags.length === 0 ? "" : `; allow it with ${flags.join(" or ")}`;
}

const WIDER: readonly Mode[] = ["edit", "all"];

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
