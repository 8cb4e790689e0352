/** Builds an agent from its parts: session, model, permissions, guidance, tools. The only place that knows every part. */

import { homedir } from "node:os";
import {
  Agent,
  type AgentOptions,
  type ExtensionActions,
  mergeHooks,
  type PermissionMode,
  type Permissions,
  type RewindOptions,
  type SessionShutdownEvent,
  type SystemPromptOptions,
  type Tool,
} from "@pith/agent";
import type { Model, Summarizer } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import type { Wish } from "../args/args.ts";
import type { ActsParts } from "../extensions/session.ts";
import { type OpenBeside, openingBeside } from "../models/open-model.ts";
import type { NamedWriters } from "../models/summary-models.ts";
import { forbidden, refuseMode, requiresSandbox } from "../policy/policy.ts";
import {
  type Guidance,
  type Guide,
  type Guided,
  type GuidedParts,
  guided,
  guideOf,
  type MoreFolders,
} from "../resources/guidance.ts";
import { closeSandbox, type OpenSandbox, openSandbox } from "../sandbox/sandbox.ts";
import { relearning } from "../settings/secrets.ts";
import type { CompactionSettings, Settings } from "../settings/settings.ts";
import type { Place } from "./app-options.ts";
import { type AuditClient, AuditLog } from "./audit-log.ts";
import { createGitHeadReader, describeGitHead } from "./git-branch.ts";
import { measureAhead } from "./measure-ahead.ts";
import { type Permitting, permitting } from "./permissions.ts";
import { type NotOpened, sessionWithModel, type Voiced, type WayOn, wayOn } from "./session.ts";
import { describeDamage, type SessionDamaged, tornEndNote } from "./session-damage.ts";
import { chosenTools, providedTools, unbrought, type Workplace, workplace } from "./tools.ts";

export type Built =
  | (Guide &
      WayOn & {
        readonly type: "built";
        readonly agent: Agent;
        readonly tools: readonly Tool[];
        readonly notes: readonly string[];
        /** What opening the session found to be damaged; null where all of it can be read. */
        readonly damage: SessionDamaged | null;
        /** The session's file; null where nothing is kept. */
        readonly sessionPath: string | null;
        /** Why nobody can speak; null where somebody can. */
        readonly missing: string | null;
        readonly openModel: OpenBeside;
        readonly permissions: Permissions;
        /** For the user alone; the model is told before the next word. Null, or why the mode stays as it is. */
        readonly setMode: (mode: PermissionMode) => string | null;
        /** What files were before the session changed them; absent where nothing is kept. */
        readonly rewind?: RewindOptions;
        /** What extensions can do here; null where there are none. */
        readonly acts: ExtensionActions | null;
        /** How one leaves it; the program ends, unless said. */
        readonly close: (leaving?: Leaving) => Promise<void>;
      })
  | NotOpened;

/** Why a session is left, and for which. */
export type Leaving = Omit<SessionShutdownEvent, "type">;

export async function build(wish: Wish, place: Place): Promise<Built> {
  const ground = await groundFor(wish, place);
  if (ground.type === "failed") return ground;
  const { voiced, permitted, guiding, guides, at, audit } = ground;
  const { tools: names } = place.choices;
  const { tools: more = [], notes: theirs = [] } = place.extensions ?? {};
  const tools = chosenTools(at.tools, { names, more });
  const { permissions } = permitted;
  if (place.held) {
    place.held.permissions = permissions;
    place.held.addressee = place.choices.model ?? voiced.model.provider;
  }
  const readGitHead = createGitHeadReader(place.cwd);
  const readGitBranch = (): string | null => describeGitHead(readGitHead());
  // What is given and told follows the mode.
  const beginning = ({ project, catalogue: skills }: Guidance): SystemPromptOptions => ({
    ...{ folder: place.cwd, readGitBranch, projectTexts: project, skills, mode: permissions.mode },
    providerTools: providedTools(tools, { permissions, ...voiced }),
    ...ownPrompt(wish),
  });
  const { session, path, missing, damage } = voiced;
  const { gaps } = session.branch;
  const openModel = openingBeside({ ...place, sessionId: session.store.header.id, provider: voiced.model.provider });
  const { guidance } = guides.standing;
  const { runLimits = {} } = wish;
  const agent = await agentOn(ground, { place, tools, openModel, systemPrompt: beginning(guidance), runLimits });
  return {
    type: "built",
    agent,
    tools,
    notes: [...voiced.heard, ...permitted.notes, ...at.notes, ...guidance.notes, ...theirs, ...unbrought(names, more)],
    damage: path === null ? null : describeDamage({ ...place, damage, gaps, path, id: session.store.header.id }),
    sessionPath: path,
    missing,
    openModel,
    permissions,
    setMode: (mode) => {
      const refusal = refuseMode(place.choices.policy, mode);
      if (refusal !== null) return refusal;
      permissions.setMode(mode);
      agent.setSystemPrompt(beginning(guides.standing.guidance));
      return null;
    },
    ...(at.rewind && { rewind: at.rewind }),
    acts: place.extensions ? await actsOf({ agent, place, sessionPath: path, openModel }) : null,
    ...guideOf(agent, guides, { ...guiding, beginning }),
    ...wayOn(wish, session),
    close: async (leaving = { reason: "quit" }) => {
      await place.extensions?.dispatch({ type: "session_shutdown", ...leaving });
      await at.close();
      await voiced.close();
      audit?.close();
    },
  };
}

/** Loaded where there are extensions. */
async function actsOf(parts: ActsParts): Promise<ExtensionActions> {
  const { actsHere } = await import("../extensions/session.ts");
  return actsHere(parts);
}

/** What an agent stands on: a session with somebody who speaks, what is permitted, what guides it, and where it works. */
interface Ground {
  readonly type: "ground";
  readonly permitted: Extract<Permitting, { type: "permissions" }>;
  readonly voiced: Extract<Voiced, { type: "opened" }>;
  readonly guiding: GuidedParts;
  readonly guides: Guided;
  readonly at: Workplace;
  readonly audit: AuditLog | null;
}

async function groundFor(wish: Wish, place: Place): Promise<Ground | Extract<Built, { type: "failed" }>> {
  const { cwd, home, environment, choices, trusted, note = () => {} } = place;
  const userHome = homedir();
  // Tried by a program of its own, while everything else is made ready.
  const sandbox = openSandbox(place);
  const temporary = sandbox.then((opened) => (opened.type === "unavailable" ? null : opened.folders.temporary));
  const unheld = await missingSandbox(place, sandbox);
  if (unheld !== null) return unheld;
  const audit = openAudit(wish, place);
  const unrecorded = missingAuditLog(place, audit);
  if (unrecorded !== null) return await withoutSandbox(sandbox, unrecorded);
  const permitted = await permitting(wish, { ...place, userHome, temporary, audit });
  if (permitted.type === "failed") return await withoutSandbox(sandbox, permitted);
  const voiced = await sessionWithModel(wish, place);
  if (voiced.type === "failed") return await withoutSandbox(sandbox, voiced);
  if (audit) audit.session = voiced.session.store.header.id;
  const { mayRead } = permitted;
  const more = await moreFolders(place);
  const guiding = {
    wish,
    cwd,
    home,
    userHome,
    environment,
    choices,
    mayRead,
    trusted,
    note,
    commandNames,
    ...(more && { more }),
  };
  const guides = await guided(guiding);
  const { session, path: sessionPath } = voiced;
  const at = await workplace({
    ...{ ...place, ...permitted, session, sessionPath, sandbox, skillAt: guides.skillAt },
    permitRestore: (path) => permitted.permissions.permitRestore(path),
  });
  return { type: "ground", permitted, voiced, guiding, guides, at, audit };
}

/** Loaded when a template or the list of templates is asked for. */
async function commandNames(): Promise<readonly string[]> {
  const { builtInNames } = await import("../commands/commands.ts");
  return builtInNames();
}

function openAudit({ output }: Wish, { home, cwd, choices, note = () => {} }: Place): AuditLog | null {
  if (choices.auditLog === false) return null;
  return new AuditLog({ home, cwd, note, client: clientOf(output, choices) });
}

/** Where the policy wants the log, nothing begins without it. */
function missingAuditLog({ choices: { policy } }: Place, audit: AuditLog | null): NotOpened | null {
  if (policy?.auditLog === undefined || audit === null) return null;
  const why = audit.check();
  if (why === null) return null;
  return {
    type: "failed",
    message: `${forbidden(policy, "work without the audit log")} It cannot be written: ${why}`,
    code: 1,
  };
}

function clientOf(output: Wish["output"], { plain }: Settings): AuditClient {
  if (output === "screen") return plain ? "plain" : "screen";
  return output === "rpc" || output === "acp" ? output : "print";
}

/** Only where the policy wants a sandbox is it waited for. */
async function missingSandbox(
  { choices: { policy } }: Place,
  sandbox: Promise<OpenSandbox>,
): Promise<NotOpened | null> {
  if (policy === undefined || !requiresSandbox(policy)) return null;
  const opened = await sandbox;
  if (opened.type !== "unavailable") return null;
  const message = `${forbidden(policy, "commands without a sandbox")} There is none here: ${opened.why}`;
  return { type: "failed", message, code: 1 };
}

async function withoutSandbox<Failed>(sandbox: Promise<OpenSandbox>, failed: Failed): Promise<Failed> {
  await closeSandbox(await sandbox);
  return failed;
}

/** Folders of skills and templates that extensions name; null where there are none to ask. */
async function moreFolders({ extensions, cwd }: Place): Promise<MoreFolders | null> {
  if (!extensions) return null;
  const named = await extensions.dispatch({ type: "resources_discover", cwd, reason: "startup" });
  return {
    skills: named.flatMap(({ skillPaths = [] }) => skillPaths),
    prompts: named.flatMap(({ promptPaths = [] }) => promptPaths),
  };
}

interface AgentWish extends Pick<AgentOptions, "tools" | "systemPrompt" | "runLimits"> {
  readonly place: Place;
  readonly openModel: OpenBeside;
}

async function agentOn(ground: Ground, { place, openModel, ...told }: AgentWish): Promise<Agent> {
  const { voiced, permitted, guides, at } = ground;
  const { choices, vault, extensions } = place;
  const hooks = extensions ? mergeHooks(...(place.hooks ? [place.hooks] : []), extensions.hooks) : place.hooks;
  const { session, model, damage } = voiced;
  const openingNote = tornEndNote(damage);
  const { permissions, mayRead } = permitted;
  const agent: Agent = new Agent({
    ...told,
    session,
    model,
    runtime: nodeRuntime,
    permissions,
    blobs: at.blobs,
    skillFiles: guides,
    limits: guides.limits,
    ...(await heard(place, model)),
    ...(hooks && { hooks }),
    ...(openingNote !== null && { openingNote }),
    ...(extensions && { stateSections: extensions.stateSections }),
    ...(vault && { secrets: relearning(vault, { session, files: at.files, mayRead }) }),
    ...(at.rewind && { rewind: at.rewind }),
    ...settled(choices),
    ...(await ownWriters(choices.compaction, {
      open: openModel,
      speaking: () => agent.model,
      first: extensions?.summarizers ?? [],
    })),
  });
  measureAhead(session);
  return agent;
}

function settled({ compaction, thinking }: Settings): Partial<AgentOptions> {
  return {
    ...(compaction?.instructions && { instructions: compaction.instructions }),
    ...(thinking && { thinkingLevel: thinking }),
  };
}

/** Loaded only where somebody is named for it. */
async function ownWriters(
  { model: names = [] }: CompactionSettings = {},
  { open, speaking, first }: Pick<NamedWriters, "open" | "speaking"> & { readonly first: readonly Summarizer[] },
): Promise<Pick<AgentOptions, "summarizers">> {
  if (names.length === 0 && first.length === 0) return {};
  const { compactionWriters } = await import("../models/summary-models.ts");
  return {
    summarizers: [...first, ...compactionWriters({ names: [names].flat(), open, speaking, ports: nodeRuntime })],
  };
}

/** Loaded where there are extensions. */
async function heard({ listen, extensions, choices }: Place, model: Model): Promise<Pick<AgentOptions, "onEvent">> {
  if (!extensions) return listen ? { onEvent: listen } : {};
  const { heardBy } = await import("../extensions/session.ts");
  return { onEvent: heardBy(listen, extensions, { model, level: choices.thinking ?? "off" }) };
}

function ownPrompt({
  systemPrompt,
  appendSystemPrompt,
}: Wish): Pick<SystemPromptOptions, "customPrompt" | "appendedPrompt"> {
  return {
    ...(systemPrompt !== undefined && { customPrompt: systemPrompt }),
    ...(appendSystemPrompt !== undefined && { appendedPrompt: appendSystemPrompt }),
  };
}
