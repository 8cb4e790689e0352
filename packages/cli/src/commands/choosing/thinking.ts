/** `/thinking`: how long a model thinks before it answers. */

import type { ThinkingLevel } from "@pith/context";
import { mistake } from "../../asking/mistake.ts";
import { told } from "../answers.ts";
import type { Command } from "../command.ts";

export const levels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

export const thinking: Command = {
  name: "thinking",
  takes: "[level]",
  says: `how long the model thinks: ${levels.join(", ")}`,
  examples: ["/thinking", "/thinking high"],
  async run(words, { agent }) {
    if (words === "") return told(`thinking: ${agent.thinkingLevel}`, { level: agent.thinkingLevel });
    const level = levels.find((each) => each === words);
    if (!level) return mistake(`/thinking takes ${levels.slice(0, -1).join(", ")} or ${levels.at(-1)}, not "${words}"`);
    await agent.setThinkingLevel(level);
    return told(`thinking, from the next request on: ${level}`, { level });
  },
};
