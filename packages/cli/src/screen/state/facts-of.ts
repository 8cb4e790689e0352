/** The footer's figures, from the parts of the program. */

import { homedir } from "node:os";
import type { Ready } from "../../working/readied.ts";
import type { Facts } from "./facts.ts";

export function factsOf({ built, place }: Ready): Facts {
  const { agent, permissions, tools } = built;
  const bash = tools.find(({ name }) => name === "bash")?.intent?.({ command: "true" });
  return {
    model: `${agent.model.provider}/${agent.model.model}`,
    thinking: agent.thinkingLevel,
    folder: place.cwd.replace(homedir(), "~"),
    gitBranch: null,
    sessionName: null,
    place: null,
    cost: 0,
    isSandboxed: bash?.type === "command" && bash.isConfined,
    mode: permissions.mode,
    meter: null,
  };
}
