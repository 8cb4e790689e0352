/** The one place that knows every part: session, model, tools, agent. */

import { homedir } from "node:os";
import { Agent, type Beginning, fetchesFreely, type Tool } from "@pith/agent";
import { sandboxHere } from "@pith/agent/node";
import type { Model, Session, Tool as ToolSchema } from "@pith/context";
import { machine } from "@pith/context/node";
import { type Environment, searches, webSearch } from "@pith/models";
import type { Wish } from "./asking/wish.ts";
import { type ChosenModel, chooseModel } from "./choose-model.ts";
import { limitsOf } from "./home/limits.ts";
import type { Settings } from "./home/settings.ts";
import { type OpenedSession, openSession } from "./open-session.ts";
import { permitting } from "./permitting.ts";
import { projectTexts } from "./prompting/project-texts.ts";
import { workplace } from "./workplace.ts";

export interface Place {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  readonly choices: Settings;
}

export type Built =
  | {
      readonly type: "built";
      readonly agent: Agent;
      readonly tools: readonly Tool[];
      readonly notes: readonly string[];
      /** How to go on with this session; null where nothing is kept. */
      readonly next: string | null;
      readonly close: () => Promise<void>;
    }
  | { readonly type: "failed"; readonly message: string };

export async function build(wish: Wish, place: Place): Promise<Built> {
  const { cwd, home, environment, choices } = place;
  const strange = strangeTool(choices.tools);
  if (strange !== null) return { type: "failed", message: strange };
  const userHome = homedir();
  // Tried by a program of its own, while everything else is made ready.
  const sandbox = choices.sandbox === "off" ? null : sandboxHere({ environment, root: cwd, home: userHome });
  const permitted = await permitting(wish, { ...place, userHome });
  if (permitted.type === "failed") return permitted;
  const voiced = await sessionWithModel(wish, place);
  if (voiced.type === "failed") return voiced;
  const { session, path, opened, close } = voiced;
  const { permissions, mayRead, mayWrite, denied } = permitted;
  const at = await workplace({ ...place, session, sessionPath: path, sandbox, mayWrite, denied });
  const tools = chosen(at.tools, choices.tools);
  const provided = fetchesFreely(permissions) ? searchBeside(tools, opened.model) : [];
  const project = wish.readsProjectTexts ? await projectTexts({ cwd, userHome, home, mayRead }) : NO_TEXTS;
  const agent = new Agent({
    session,
    model: opened.model,
    tools,
    permits: permissions,
    blobs: at.blobs,
    ...(at.rewind && { rewind: at.rewind }),
    ports: machine,
    beginning: { folder: cwd, project: project.texts, provided, ...ownPrompt(wish) },
    limits: limitsOf(choices.compaction),
    ...(choices.thinking && { thinking: choices.thinking }),
  });
  const notes = [...opened.notes(), ...permitted.notes, ...at.notes, ...project.notes];
  const end = async (): Promise<void> => {
    await at.close();
    await close();
  };
  return { type: "built", agent, tools, notes, next: next(wish, session), close: end };
}

const NO_TEXTS = { texts: [], notes: [] } as const;

type Voiced =
  | (Extract<OpenedSession, { type: "opened" }> & { readonly opened: Extract<ChosenModel, { type: "opened" }> })
  | { readonly type: "failed"; readonly message: string };

/** A session that exists says who spoke in it; a new one is made only where somebody will speak. */
async function sessionWithModel({ session: wish }: Wish, { cwd, home, environment, choices }: Place): Promise<Voiced> {
  const isNew = wish.type === "new" || wish.type === "none";
  const id = machine.sessionId();
  const found = isNew ? null : await openSession(wish, { cwd, id });
  if (found?.type === "failed") return found;
  const { model } = found?.session.window.state ?? { model: null };
  const spoke = model ? `${model.provider}/${model.modelId}` : undefined;
  const sessionId = found?.session.store.header.id ?? id;
  const opened = await chooseModel(choices, { environment, home, sessionId, spoke });
  if (opened.type !== "opened") {
    await found?.close();
    return { type: "failed", message: opened.message };
  }
  const place = found ?? (await openSession(wish, { cwd, id }));
  return place.type === "failed" ? place : { ...place, opened };
}

function ownPrompt({ systemPrompt, appendSystemPrompt }: Wish): Pick<Beginning, "replacement" | "addition"> {
  return {
    ...(systemPrompt !== undefined && { replacement: systemPrompt }),
    ...(appendSystemPrompt !== undefined && { addition: appendSystemPrompt }),
  };
}

/** The four that every task needs; the others cost words in every request. */
const USUAL = ["read", "write", "edit", "bash"];
const ALL = [...USUAL, "grep", "find", "ls", "fetch"];

function strangeTool(names: readonly string[] = []): string | null {
  const strange = names.find((name) => name !== "all" && !ALL.includes(name));
  return strange === undefined ? null : `there is no tool "${strange}"; there are: ${ALL.join(", ")}, or all`;
}

function chosen(tools: readonly Tool[], names: readonly string[] = USUAL): readonly Tool[] {
  return names.includes("all") ? tools : tools.filter(({ name }) => names.includes(name));
}

/** Who may fetch may search as well, where the provider itself does it. */
function searchBeside(tools: readonly Tool[], model: Model): readonly ToolSchema[] {
  return tools.some(({ name }) => name === "fetch") && searches(model) ? [webSearch] : [];
}

/** An address is never kept with a session, which may come from anybody: it has to be said again. */
function next({ session: wish, choices: { baseUrl } }: Wish, { store }: Session): string | null {
  if (wish.type === "none") return null;
  const flags = baseUrl === undefined ? "" : ` --base-url ${baseUrl}`;
  return `session ${store.header.id.slice(0, 8)}; go on with pith -p -c${flags}`;
}
