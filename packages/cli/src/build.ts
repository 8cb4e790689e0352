/** The one place that knows every part: session, model, tools, agent. */

import { Agent, bashTool, fileTools, type Tool } from "@pith/agent";
import { nodeFiles, nodeShell } from "@pith/agent/node";
import { machine } from "@pith/context/node";
import { chooseModel, type Environment } from "./choose-model.ts";
import { openSession } from "./open-session.ts";
import type { Wish } from "./wish.ts";

export interface Place {
  readonly cwd: string;
  readonly environment: Environment;
}

export type Built =
  | {
      readonly type: "built";
      readonly agent: Agent;
      readonly notes: readonly string[];
      readonly close: () => Promise<void>;
    }
  | { readonly type: "failed"; readonly message: string };

export async function build(wish: Wish, { cwd, environment }: Place): Promise<Built> {
  const opened = await chooseModel(wish, environment);
  if (opened.type !== "opened") return { type: "failed", message: opened.message };
  const place = await openSession(wish.session, cwd);
  if (place.type === "failed") return place;
  const bash = bashTool(nodeShell({ root: cwd, environment }));
  const tools = chosen([...fileTools({ files: nodeFiles({ root: cwd }) }), bash], wish.tools);
  if (tools instanceof Error) return { type: "failed", message: tools.message };
  const { session } = place;
  const agent = new Agent({
    session,
    model: opened.model,
    tools,
    ports: machine,
    ...(wish.thinking && { thinking: wish.thinking }),
  });
  await agent.begin({ replacement: wish.systemPrompt, addition: wish.appendSystemPrompt, folder: cwd });
  const close = async (): Promise<void> => {
    await bash.dispose();
    await place.close();
  };
  return { type: "built", agent, notes: opened.notes(), close };
}

function chosen(tools: readonly Tool[], names: readonly string[] | undefined): readonly Tool[] | Error {
  const strange = names?.find((name) => !tools.some((tool) => tool.name === name));
  if (strange !== undefined)
    return new Error(`there is no tool "${strange}"; there are: ${tools.map(({ name }) => name).join(", ")}`);
  return names ? tools.filter(({ name }) => names.includes(name)) : tools;
}
