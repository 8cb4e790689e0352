/** Parses git's configuration as git does, and finds the settings in it that can make git run a program or use another place. */

export interface GitSetting {
  /** As git writes it: `section.name` or `section.subsection.name`, in lower case except for the subsection. */
  readonly key: string;
  /** Null for a name without a value, which means true. */
  readonly value: string | null;
}

/** The only entry for a text that git would not read either. */
export const UNREADABLE_SETTING: GitSetting = { key: "(unreadable)", value: null };

/**
 * Finds all settings that are not known to be harmless, in the order of the text. Others run a program (`core.fsmonitor`, `alias.*`), load
 * another file (`include.path`) or change where git reads and writes (`core.worktree`, `url.*.insteadOf`).
 */
export function findProgramKeys(text: string): readonly GitSetting[] {
  const settings = parseGitConfigStrictly(text);
  if (settings === null) return [UNREADABLE_SETTING];
  const remotes = new Set(settings.flatMap((setting) => nameOfRemoteWithUrl(setting) ?? []));
  return settings.filter((setting) => !isHarmless(setting, remotes)).map(({ key, value }) => ({ key, value }));
}

interface ParsedSetting extends GitSetting {
  readonly section: string;
  readonly subsection: string | null;
  readonly name: string;
}

/** Null where git would report an error. */
export function parseGitConfigStrictly(text: string): readonly ParsedSetting[] | null {
  return text.includes("\0") ? null : new ConfigParser(text).parse();
}

const LETTER = /^[A-Za-z]$/;
const KEY_CHARACTER = /^[A-Za-z0-9-]$/;
const SPACE = /^[ \t\n\r]$/;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", "\\": "\\", '"': '"' };

/** Follows `git_parse_source` in git's config.c: a difference would hide a setting from the check. */
class ConfigParser {
  readonly #text: string;
  #position = 0;
  #section = "";
  #subsection: string | null = null;

  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  }

  parse(): readonly ParsedSetting[] | null {
    const settings: ParsedSetting[] = [];
    while (this.#position < this.#text.length) {
      const character = this.#next();
      if (SPACE.test(character)) continue;
      if (character === "#" || character === ";") {
        this.#skipLine();
      } else if (character === "[") {
        if (!this.#readHeader()) return null;
      } else {
        const setting = LETTER.test(character) ? this.#readSetting(character) : null;
        if (setting === null) return null;
        settings.push(setting);
      }
    }
    return settings;
  }

  /** The end of the text counts as the end of a line. */
  #next(): string {
    const character = this.#text.charAt(this.#position);
    this.#position += 1;
    return character === "" ? "\n" : character;
  }

  #skipLine(): void {
    while (this.#next() !== "\n");
  }

  #readHeader(): boolean {
    let section = "";
    for (;;) {
      const character = this.#next();
      if (character === "]") break;
      if (SPACE.test(character)) return this.#readSubsection(section, character);
      if (!KEY_CHARACTER.test(character) && character !== ".") return false;
      section += character.toLowerCase();
    }
    const dot = section.indexOf(".");
    this.#section = dot === -1 ? section : section.slice(0, dot);
    this.#subsection = dot === -1 ? null : section.slice(dot + 1);
    return section !== "";
  }

  #readSubsection(section: string, space: string): boolean {
    let character = space;
    while (SPACE.test(character)) {
      if (character === "\n") return false;
      character = this.#next();
    }
    if (character !== '"') return false;
    let subsection = "";
    for (;;) {
      character = this.#next();
      if (character === '"') break;
      if (character === "\\") character = this.#next();
      if (character === "\n") return false;
      subsection += character;
    }
    // A dot in the first part would make the boundary of the parts unclear.
    if (section === "" || section.includes(".")) return false;
    this.#section = section;
    this.#subsection = subsection;
    return this.#next() === "]";
  }

  #readSetting(first: string): ParsedSetting | null {
    let name = first.toLowerCase();
    let character = this.#next();
    for (; KEY_CHARACTER.test(character); character = this.#next()) name += character.toLowerCase();
    while (character === " " || character === "\t") character = this.#next();
    if (character !== "=" && character !== "\n") return null;
    const value = character === "=" ? this.#readValue() : null;
    if (character === "=" && value === null) return null;
    const section = this.#section;
    const subsection = this.#subsection;
    const key = [section, ...(subsection === null ? [] : [subsection]), name].join(".");
    return { key, section, subsection, name, value };
  }

  #readValue(): string | null {
    let value = "";
    let spaces = "";
    let isQuoted = false;
    for (;;) {
      const character = this.#next();
      if (character === "\n") return isQuoted ? null : value;
      if (SPACE.test(character) && !isQuoted) {
        if (value !== "") spaces += " ";
        continue;
      }
      if (!isQuoted && (character === "#" || character === ";")) {
        this.#skipLine();
        return value;
      }
      value += spaces;
      spaces = "";
      if (character === '"') isQuoted = !isQuoted;
      else if (character !== "\\") value += character;
      else {
        const escaped = this.#next();
        const meaning = escaped === "\n" ? "" : ESCAPES[escaped];
        if (meaning === undefined) return null;
        value += meaning;
      }
    }
  }
}

function nameOfRemoteWithUrl({ section, subsection, name, value }: ParsedSetting): string | null {
  return section === "remote" && name === "url" && value ? subsection : null;
}

function isHarmless(setting: ParsedSetting, remotes: ReadonlySet<string>): boolean {
  const { section, subsection, name, value } = setting;
  const key = `${section}${subsection === null ? "" : ".*"}.${name}`;
  if (HARMLESS_KEYS.test(key)) return true;
  if (URL_KEYS.test(key)) return isPlainUrl(value ?? "");
  // A name without such a remote is a path, and a push into a repository at that path runs the hooks there.
  if (REMOTE_NAME_KEYS.test(key)) return value === "." || remotes.has(value ?? "");
  if (BOOLEAN_KEYS.test(key)) return value === null || /^(?:true|yes|on|false|no|off|0|1|)$/i.test(value);
  return HARMLESS_VALUES[key]?.includes(value ?? "") ?? false;
}

/**
 * One regular expression for each section, because a section may get a name that runs a program (`gc.recentObjectsHook`). Not in the list:
 * `rebase.instructionFormat`, in which `%n` begins a new line of the instructions, such as `exec`.
 */
const HARMLESS_KEYS = new RegExp(
  `^(?:${[
    "advice\\.\\w+",
    "am\\.(?:keepcr|threeway|messageid)",
    "apply\\.(?:ignorewhitespace|whitespace)",
    "(?:author|committer)\\.(?:name|email)",
    "blame\\.(?:blankboundary|coloring|date|ignorerevsfile|markignoredlines|markunblamablelines|showemail|showroot)",
    "branch\\.(?:autosetupmerge|autosetuprebase|sort)",
    // Editors and other tools remember here what a branch was made from.
    "branch\\.\\*\\.(?:merge|rebase|description|vscode-merge-base|gh-merge-base|github-pr-[\\w-]+|gk-[\\w-]+)",
    "checkout\\.(?:defaultremote|guess|workers|thresholdforparallelism)",
    "color\\.[\\w-]+|color\\.\\*\\.[\\w-]+",
    "column\\.\\w+",
    "commit\\.(?:cleanup|gpgsign|status|template|verbose)",
    "core\\.(?:abbrev|attributesfile|autocrlf|bare|bigfilethreshold|checkroundtripencoding|checkstat|commentchar|commentstring|commitgraph|compression|createobject|deltabasecachelimit|eol|excludesfile|filemode|filesreflocktimeout|fscache|fsync|fsyncmethod|fsyncobjectfiles|hidedotfiles|ignorecase|ignorestat|logallrefupdates|longpaths|loosecompression|maxtreedepth|multipackindex|notesref|packedgitlimit|packedgitwindowsize|packedrefstimeout|precomposeunicode|preloadindex|quotepath|repositoryformatversion|safecrlf|sparsecheckout|sparsecheckoutcone|splitindex|symlinks|trustctime|untrackedcache|usereplacerefs|warnambiguousrefs|whitespace)",
    "diff\\.(?:algorithm|autorefreshindex|colormoved|colormovedws|context|dirstat|ignoresubmodules|indentheuristic|interhunkcontext|mnemonicprefix|noprefix|orderfile|relative|renamelimit|renames|statgraphwidth|statnamewidth|submodule|suppressblankempty|wordregex|wserrorhighlight)",
    "diff\\.\\*\\.(?:algorithm|binary|cachetextconv|funcname|wordregex|xfuncname)",
    "extensions\\.(?:noop|preciousobjects|relativeworktrees|worktreeconfig)",
    "feature\\.(?:experimental|manyfiles)",
    "fetch\\.(?:all|fsckobjects|negotiationalgorithm|output|parallel|prune|prunetags|recursesubmodules|showforcedupdates|unpacklimit|writecommitgraph)",
    "filter\\.\\*\\.required",
    "format\\.(?:coverletter|numbered|signoff|subjectprefix|thread)",
    "gc\\.(?:aggressivedepth|aggressivewindow|auto|autodetach|autopacklimit|bigpackthreshold|cruftpacks|logexpiry|maxcruftsize|packrefs|pruneexpire|reflogexpire|reflogexpireunreachable|rerereresolved|rerereunresolved|worktreepruneexpire|writecommitgraph)",
    "gc\\.\\*\\.(?:reflogexpire|reflogexpireunreachable)",
    "grep\\.(?:column|extendedregexp|fallbacktonoindex|fullname|linenumber|patterntype|threads)",
    "http\\.(?:lowspeedlimit|lowspeedtime|maxrequests|postbuffer|version)",
    "i18n\\.(?:commitencoding|logoutputencoding)",
    "index\\.(?:recordendofindexentries|recordoffsettable|skiphash|sparse|threads|version)",
    "init\\.(?:defaultbranch|defaultobjectformat|defaultrefformat)",
    "interactive\\.singlekey",
    "lfs\\.(?:concurrenttransfers|fetchrecent\\w+|locksverify|repositoryformatversion)|lfs\\.\\*\\.(?:access|locksverify)",
    "log\\.(?:abbrevcommit|date|decorate|excludedecoration|follow|graphcolors|initialdecorationset|mailmap|showroot)",
    "mailmap\\.(?:blob|file)",
    "maintenance\\.(?:auto|autodetach|strategy)|maintenance\\.\\*\\.(?:auto|enabled|schedule)",
    "merge\\.(?:autostash|branchdesc|conflictstyle|defaulttoupstream|directoryrenames|ff|log|renamelimit|renames|renormalize|stat|suppressdest|verbosity)|merge\\.\\*\\.name",
    "notes\\.(?:displayref|mergestrategy|rewritemode|rewriteref)|notes\\.\\*\\.(?:mergestrategy|rewrite)",
    "pack\\.\\w+",
    "protocol\\.version",
    "pull\\.(?:ff|rebase)",
    "push\\.(?:autosetupremote|default|followtags|recursesubmodules|useforceifincludes)",
    "rebase\\.(?:abbreviatecommands|autosquash|autostash|backend|forkpoint|maxlabellength|missingcommitscheck|rebasemerges|reschedulefailedexec|stat|updaterefs)",
    "receive\\.(?:autogc|denycurrentbranch|denydeletecurrent|denydeletes|denynonfastforwards|fsckobjects|unpacklimit|updateserverinfo)",
    "remote\\.\\*\\.(?:fetch|followremotehead|gh-resolved|prune|prunetags|push|skipdefaultupdate|skipfetchall|tagopt)",
    "rerere\\.(?:autoupdate|enabled)",
    "stash\\.(?:showincludeuntracked|showpatch|showstat)",
    "status\\.\\w+",
    "submodule\\.(?:active|fetchjobs|propagatebranches|recurse)",
    "submodule\\.\\*\\.(?:active|branch|fetchrecursesubmodules|ignore|shallow)",
    "tag\\.(?:forcesignannotated|gpgsign|sort)",
    "transfer\\.(?:fsckobjects|hiderefs|unpacklimit)",
    "uploadpack\\.(?:allow\\w+|hiderefs|keepalive)",
    "user\\.(?:email|name|signingkey|useconfigonly)",
    "versionsort\\.\\w+",
    "worktree\\.(?:guessremote|userelativepaths)",
  ].join("|")})$`,
);
const URL_KEYS = /^(?:remote\.\*\.(?:url|pushurl)|submodule\.\*\.url)$/;
const REMOTE_NAME_KEYS = /^(?:branch\.\*\.(?:remote|pushremote)|remote\.pushdefault)$/;
/** Other values of these are programs. */
const BOOLEAN_KEYS = /^(?:core\.fsmonitor|pager\.\w+)$/;
/** The values that git and git-lfs write. */
const HARMLESS_VALUES: Readonly<Record<string, readonly string[]>> = {
  "extensions.objectformat": ["sha1", "sha256"],
  "extensions.refstorage": ["files", "reftable"],
  "filter.*.clean": ["git-lfs clean -- %f"],
  "filter.*.smudge": ["git-lfs smudge -- %f"],
  "filter.*.process": ["git-lfs filter-process"],
  "submodule.*.update": ["checkout", "merge", "none", "rebase"],
};

/** A host that git reaches itself. A path is not: git runs the hooks of the repository there. `helper::address` runs a helper program. */
function isPlainUrl(url: string): boolean {
  if (/[\s\p{Cc}]/u.test(url) || /^[\w+-]+::/.test(url)) return false;
  return (
    /^(?:https?|ssh|git|git\+ssh|ssh\+git):\/\/[^-/]/.test(url) || /^(?:\w[\w.-]*@)?\w[\w.-]+:(?!\/\/)[^:-]/.test(url)
  );
}

/** A command changes settings of a repository that are not known to be harmless. */
export interface GitSettingsRequest {
  /** The path of the settings. */
  readonly file: string;
  readonly changes: readonly GitSettingChange[];
  readonly command: string;
}

export interface GitSettingChange extends GitSetting {
  readonly type: "set" | "removed";
}

export type GitSettingsDecision = { readonly type: "allowed" } | { readonly type: "refused"; readonly why: string };

/** Asks the user. */
export type PermitGitSettings = (
  request: GitSettingsRequest,
  options: { readonly signal: AbortSignal },
) => Promise<GitSettingsDecision>;

/** As the question to the user shows it: `set core.pager = less`. */
export function describeChange({ type, key, value }: GitSettingChange): string {
  const setting = value === null ? key : `${key} = ${value}`;
  return type === "set" ? `set ${setting}` : `remove ${setting}`;
}

/** What git does because of these settings, in one sentence. */
export function describeEffect(changes: readonly GitSettingChange[]): string {
  const effects = changes.map(
    ({ key }) => EFFECTS.find(([pattern]) => pattern.test(key))?.[1] ?? "Git can run a program because of it.",
  );
  return [...new Set(effects)].join(" ");
}

const EFFECTS: readonly (readonly [RegExp, string])[] = [
  [/^core\.hookspath$/, "Git runs the programs in that folder."],
  [/^include(?:if)?\./, "Git then reads more settings from that file."],
  [
    /^(?:remote|submodule|branch|url)\..*(?:url|insteadof|remote)$|^remote\.pushdefault$/s,
    "Git connects to that address, and runs the hooks of a repository on this machine.",
  ],
  [/^core\.worktree$/, "Git then writes files in that folder."],
  [/^(?:http|https|ssl)\./, "It changes how git connects to servers."],
];

/** Git uses the last of several values, so another order is a change of all. That an address is removed redirects nothing. */
export function compareSettings(
  oldSettings: readonly GitSetting[],
  newSettings: readonly GitSetting[],
): readonly GitSettingChange[] {
  const [oldTexts, newTexts] = [oldSettings.map(identifySetting), newSettings.map(identifySetting)];
  const isReordered = keepCommon(oldTexts, newTexts) !== keepCommon(newTexts, oldTexts);
  const added = isReordered ? newSettings : subtract(newSettings, oldTexts);
  const removed = subtract(oldSettings, newTexts).filter(({ key }) => !ADDRESS_KEYS.test(key));
  return [
    ...removed.map((setting): GitSettingChange => ({ ...setting, type: "removed" })),
    ...added.map((setting): GitSettingChange => ({ ...setting, type: "set" })),
  ];
}

const ADDRESS_KEYS =
  /^(?:(?:remote|submodule)\..+\.(?:url|pushurl)|branch\..+\.(?:remote|pushremote)|remote\.pushdefault)$/s;

function identifySetting({ key, value }: GitSetting): string {
  return JSON.stringify([key, value]);
}

function keepCommon(texts: readonly string[], others: readonly string[]): string {
  const known = new Set(others);
  return texts.filter((text) => known.has(text)).join("\n");
}

function subtract(settings: readonly GitSetting[], texts: readonly string[]): readonly GitSetting[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return settings.filter((setting) => {
    const text = identifySetting(setting);
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}
