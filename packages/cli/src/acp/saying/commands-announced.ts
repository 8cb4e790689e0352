/** What can be called with a slash, as an editor offers it: commands, those of extensions, prompt templates and skills. */

import type { AvailableCommand } from "@agentclientprotocol/sdk/unstable";
import { commands } from "../../commands/commands.ts";
import type { EditorSession } from "../sessions/editor-session.ts";

export async function announceCommands({ desk, ready, tell }: EditorSession): Promise<void> {
  const own = commands.filter(({ name }) => !OF_THE_SCREEN.includes(name)).map(commandOffered);
  const extended = (ready.place.extensions?.commands ?? []).map(({ name, takes, description }) =>
    commandOffered({ name, says: description, ...(takes !== undefined && { takes }) }),
  );
  const texts = ((await desk.templates?.list()) ?? []).map(({ name, says }) =>
    commandOffered({ name, says, takes: "[words]" }),
  );
  await tell({
    sessionUpdate: "available_commands_update",
    availableCommands: [...new Map([...texts, ...extended, ...own].map((each) => [each.name, each])).values()],
  });
}

/** An editor has its own way to these. */
const OF_THE_SCREEN: readonly string[] = ["quit", "keys", "new", "resume"];

function commandOffered({ name, says, takes }: Offered): AvailableCommand {
  return { name, description: says, ...(takes !== undefined && { input: { hint: takes } }) };
}

interface Offered {
  readonly name: string;
  readonly says: string;
  readonly takes?: string;
}
