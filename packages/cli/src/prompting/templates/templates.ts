/** What can be said by its name besides commands: `/name words` for a template, `/skill:name words` for a skill. */

import type { Agent } from "@pith/agent";
import type { Templates } from "../../commands/command.ts";
import type { FoundSkill } from "../skills/skill-in.ts";
import { expanded } from "./expand.ts";
import { type FoundTemplates, findTemplates, type TemplatePlaces } from "./find-templates.ts";

export interface TemplateParts {
  readonly agent: Pick<Agent, "attachSkill">;
  /** As they are at this moment. */
  readonly skills: () => readonly FoundSkill[];
  readonly places: () => TemplatePlaces;
  /** For people. */
  readonly note: (line: string) => void;
}

/** Files are looked for when a name is said, and told of faults once. */
export function templatesIn({ agent, skills, places, note }: TemplateParts): Templates {
  const told = new Set<string>();
  const find = async (): Promise<FoundTemplates["templates"]> => {
    const { templates, notes } = await findTemplates(places());
    for (const line of notes) if (!told.has(line)) note(line);
    for (const line of notes) told.add(line);
    return templates;
  };
  return {
    async filled(name, words) {
      const skill = skills().find((each) => name === `${SKILL}${each.name}`);
      if (skill) {
        await agent.attachSkill(skill);
        return [`Follow the skill ${skill.name}.`, words].filter((part) => part !== "").join("\n\n");
      }
      const template = (await find()).find((each) => each.name === name);
      return template ? expanded(template.text, words).trim() : null;
    },
    async list() {
      const named = (await find()).map(({ name, takes, says }) => ({ name, says: takes ? `${takes}: ${says}` : says }));
      return [...named, ...skills().map(({ name, description }) => ({ name: `${SKILL}${name}`, says: description }))];
    },
  };
}

const SKILL = "skill:";
