/** A command of a conversation, such as /compact: defined once, whoever shows what it answers. */

import type { Agent, Content, ExtensionActs, Extensions, Mode } from "@pith/agent";
import type { Mistake } from "../asking/mistake.ts";
import type { ListedSetting } from "../home/settings/listed.ts";
import type { Settings } from "../home/settings.ts";
import type { ChosenModel } from "../speaking/choose-model.ts";

export interface Command {
  /** Without its slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What may stand behind it, such as `[instructions]`. */
  readonly takes?: string;
  /** What it does, in one line. */
  readonly says: string;
  /** Whole lines, as one would write them. */
  readonly examples?: readonly string[];
  run(words: string, desk: Desk): Promise<Answer>;
}

/** What a command works on. */
export interface Desk {
  readonly agent: Agent;
  /** The session's file; null where nothing is kept. */
  readonly sessionPath: string | null;
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly choices: Settings;
  /** By `provider/model`. */
  readonly openModel: (name: string) => Promise<OpenedVoice>;
  /** Reads settings, skills, templates and context files anew; what has changed, for people. */
  readonly reload: () => Promise<readonly string[]>;
  /** For people, while they wait. */
  readonly note?: (line: string) => void;
  /** What else can be said by its name: prompt templates and skills. Absent: none. */
  readonly templates?: Templates;
  /** Every setting with what holds and where that comes from. */
  readonly settings?: () => readonly ListedSetting[];
  /** Absent where there are none. */
  readonly extensions?: Extensions | null;
  /** What they can do here; absent where there are none. */
  readonly acts?: ExtensionActs | null;
  /** What may be done without a question. Absent: it cannot be changed. */
  readonly mode?: { readonly now: () => Mode; readonly set: (mode: Mode) => void };
}

/** Of a model that was opened only what a command needs. */
export type OpenedVoice =
  | Pick<Extract<ChosenModel, { type: "opened" }>, "type" | "model" | "notes">
  | Exclude<ChosenModel, { type: "opened" }>;

/** Texts of the user that are said to the model by `/name words`. */
export interface Templates {
  /** What is said then; null where none has this name. */
  filled(name: string, words: string): Promise<Content | null>;
  list(): Promise<readonly { readonly name: string; readonly says: string }[]>;
}

/** What came of it, for whoever shows it. */
export type Answer =
  /** `data` is the same for programs. */
  | { readonly type: "told"; readonly text: string; readonly data: unknown }
  | Mistake
  | { readonly type: "failed"; readonly message: string }
  /** To be said to the model. */
  | { readonly type: "prompt"; readonly content: Content }
  /** One stands in another session from now on. */
  | {
      readonly type: "opened";
      readonly path: string;
      readonly id: string;
      readonly text: string;
      /** How one comes there; by going on with it, unless said. */
      readonly reason?: "new" | "fork";
      /** What to type to mean it; the beginning of its id, unless said. */
      readonly word?: string;
      /** Words to begin with, for whoever wants to change them first. */
      readonly draft?: string;
      /** Whether they wait in that session: going on there without words says them. */
      readonly isDraftKept?: true;
    }
  /** Words to change and say, such as those of a message one went back to. */
  | { readonly type: "draft"; readonly draft: string; readonly text: string }
  | { readonly type: "quit" };
