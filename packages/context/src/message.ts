/** Defines the messages and content blocks of a conversation, in pi's format. They are plain data and never change once written. */

/** A message that a model understands. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage;

/** Any message in a conversation: one that a model understands, or one that becomes a user message when it is sent. */
export type AgentMessage =
  | Message
  | BashExecutionMessage
  | CustomMessage
  | CompactionSummaryMessage
  | BranchSummaryMessage;

/** A change to the system prompt and the tools: sections are replaced by name (null removes one), tools are added and removed. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: string | readonly TextBlock[];
  /** Named parts in addition to the content, so that one can change without the rest. */
  readonly sections?: Readonly<Record<string, string | null>>;
  readonly toolsAdded?: readonly Tool[];
  readonly toolsRemoved?: readonly { readonly name: string }[];
  readonly timestamp: number;
}

/** A message from the user, or from a program in the user's role. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  /** Set if a program wrote the message. It then never counts as the user's own. */
  readonly pith?: { readonly from: "program" };
  readonly timestamp: number;
}

/** A model's reply. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextBlock | ThinkingBlock | ToolCallBlock)[];
  /** The API it came from, e.g. `anthropic-messages`. */
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stopReason: StopReason;
  readonly errorMessage?: string;
  readonly timestamp: number;
}

/** Why a reply ended. `deferred`: the answer comes later, in a separate message. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred";

/** The result of a tool call. */
export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly details?: unknown;
  readonly isError: boolean;
  readonly timestamp: number;
}

/** A shell line that the user ran. With `excludeFromContext` the model does not see it. */
export interface BashExecutionMessage {
  readonly role: "bashExecution";
  readonly command: string;
  readonly output: string;
  readonly exitCode?: number | null;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
  readonly excludeFromContext?: boolean;
  readonly timestamp: number;
}

/** A message from an extension or from Pith, identified by `customType`. The model reads it as a user message. */
export interface CustomMessage {
  readonly role: "custom";
  readonly customType: string;
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  readonly display: boolean;
  readonly details?: unknown;
  readonly timestamp: number;
}

/** The summary that replaces the entries a compaction covers. It is built from the compaction entry and never stored as a message. */
export interface CompactionSummaryMessage {
  readonly role: "compactionSummary";
  readonly summary: string;
  readonly tokensBefore: number;
  /** The lengths of the text blocks it is sent as, so that a provider can cache stable ones. Absent for one block. */
  readonly blocks?: readonly number[];
  readonly timestamp: number;
}

/** The summary of an abandoned branch. It is built from the branch summary entry and never stored as a message. */
export interface BranchSummaryMessage {
  readonly role: "branchSummary";
  readonly summary: string;
  readonly fromId: string;
  readonly timestamp: number;
}

/** A content block of any message. */
export type Block = TextBlock | ThinkingBlock | ImageBlock | ToolCallBlock;

/** A block of text. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly textSignature?: string;
  readonly pith?: BlockData;
}

/** The fields that Pith adds to a block. They are not sent to providers. */
export interface BlockData {
  /** Set on a block that the user attached and did not type. */
  readonly attachment?: AttachmentMark;
  readonly [field: string]: unknown;
}

/** Identifies an attachment. Its text never counts as the user's own. */
export interface AttachmentMark {
  readonly kind: AttachmentKind;
  /** A path, a URL, or the marker in the typed text. */
  readonly name: string;
  /** For a prompt template or a skill: the text that the user typed to insert it. */
  readonly typed?: string;
}

/** The kind of an attachment. */
export type AttachmentKind =
  | "file"
  | "folder"
  | "image"
  | "stdin"
  | "paste"
  | "resource"
  | "attachment"
  | "template"
  | "skill";

/** A model's reasoning. The signature covers these exact bytes, so both are sent unchanged or not at all. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly thinkingSignature?: string;
  /** The provider does not show the text; the signature contains it in encrypted form. */
  readonly redacted?: boolean;
}

/** An image. */
export interface ImageBlock {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly pith?: BlockData;
}

/** A tool call by the model. */
export interface ToolCallBlock {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly thoughtSignature?: string;
  /** The server of the tool, if names alone would clash. */
  readonly namespace?: string;
  /** The raw arguments, if they are not a JSON object. Such a call gets an error result and is never run. */
  readonly pith?: { readonly unread: string };
}

/** A tool declaration for the model. `parameters` is a JSON Schema. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  /** Set for a tool that the provider runs. It is not declared to models whose provider does not have it. */
  readonly from?: "provider";
}

/** The tokens and the cost of a model call. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  readonly cost: Cost;
}

/** The cost of a model call in US dollars. */
export interface Cost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

/** How much a model thinks before it answers. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
