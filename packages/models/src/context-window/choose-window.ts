/** Picks the effective context window, the smallest of setting, served and learnt figures, and identifies endpoints. */

export interface WindowFigures {
  readonly setting?: number | undefined;
  readonly served?: Pick<ServedWindow, "window" | "source"> | null | undefined;
  readonly learned?: number | undefined;
  /** The catalogue's figure, for when nobody who knows better has spoken. */
  readonly catalogueWindow: number;
  /** Whether even the catalogue has only a default for it. */
  readonly isCatalogueDefault?: boolean | undefined;
}

export interface ContextWindow {
  readonly tokens: number;
  /** Whose figure it is. */
  readonly source: "setting" | "served" | "learnt" | "assumed" | "known";
}

export function chooseContextWindow({
  setting,
  served,
  learned,
  catalogueWindow,
  isCatalogueDefault,
}: WindowFigures): ContextWindow {
  const isAssumed = served?.source === "assumed";
  const figures: ContextWindow[] = [
    ...toFigure("setting", setting),
    ...toFigure("served", isAssumed ? undefined : served?.window),
    ...toFigure("learnt", learned),
  ];
  const [smallest] = figures.sort((one, other) => one.tokens - other.tokens);
  // Neither an assumption nor a list of models may overrule a person or a server, in either direction.
  const [assumption] = toFigure("assumed", isAssumed ? served?.window : undefined);
  return smallest ?? assumption ?? { tokens: catalogueWindow, source: isCatalogueDefault ? "assumed" : "known" };
}

function toFigure(source: ContextWindow["source"], tokens: number | undefined): ContextWindow[] {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? [{ tokens, source }] : [];
}

/** One name per endpoint and model. Keys and passwords in the URL stay out of it, since it is written to disk. */
export function endpointKey(baseUrl: string, model: string): string {
  return `${normalizeEndpoint(baseUrl)} ${model}`;
}

function normalizeEndpoint(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  // `localhost:1234` parses as a URL of the scheme "localhost"; that and a provider's bare name stand for themselves.
  if (!url || !/^https?:$/.test(url.protocol)) return baseUrl.replace(/[?#].*$/s, "").replace(/^.*@/s, "");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** Whether the host is this machine or one in the house: loopback, a private address, a name without a domain. */
export function isLocal(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname.toLowerCase() ?? "";
  if (host.startsWith("[")) return /^\[(?:::1\]|f[cd]|fe80)/.test(host) || host.startsWith("[::ffff:7f");
  if (/^\d+(?:\.\d+){3}$/.test(host)) return isPrivate(host.split(".").map(Number));
  return host !== "" && (!host.includes(".") || /\.(?:localhost|local|lan|internal|home\.arpa)$/.test(host));
}

function isPrivate([first = 0, second = 0]: readonly number[]): boolean {
  if (first === 127 || first === 10 || first === 0) return true;
  if (first === 172) return second >= 16 && second <= 31;
  if (first === 100) return second >= 64 && second <= 127;
  return (first === 192 && second === 168) || (first === 169 && second === 254);
}

/** What a model server says about the window it serves. */
export interface ServedWindow {
  readonly server: "ollama" | "llama.cpp" | "lm-studio" | "vllm";
  /** Tokens of one conversation, its answer included. */
  readonly window: number;
  /**
   * `loaded`: the model runs with it now. `readConfiguredWindow`: it will. `assumed`: nobody can say before the model is loaded; ask
   * again after the first reply.
   */
  readonly source: "loaded" | "configured" | "assumed";
  /** What the model was trained for, where the server says so: it may serve far less. */
  readonly trained?: number;
  /** Where the server says that the model can call no tools. */
  readonly takesTools?: false;
}

/**
 * Ollama takes 4,096, 32,768 or 262,144 by the size of the graphics memory, or OLLAMA_CONTEXT_LENGTH, and LM Studio what
 * its user chose last; both tell only once the model is loaded. 4,096 would refuse sessions that run well on most of
 * these machines; more would be cut off in silence on the others. So: the smallest window a session works in.
 */
const ASSUMED_WINDOW = 8_192;

export function assumedWindow(trained: number | null): number {
  return trained === null ? ASSUMED_WINDOW : Math.min(ASSUMED_WINDOW, trained);
}
