/** The first bytes of a line: enough to say what stands there, without parsing the rest. */

export interface Glimpse {
  readonly kind: string;
  readonly id: string;
  readonly parentId: string | null;
  /** Of a message. */
  readonly role: string | undefined;
}

/** Null for a line that does not begin as pi and we write it; such a line has to be read whole. */
export function peek(line: Buffer): Glimpse | null {
  const found = HEAD.exec(line.toString("latin1", 0, Math.min(line.length, LONGEST_HEAD)));
  if (!found) return null;
  const [, kind = "", id = "", parentId, role] = found;
  // A message whose role comes later must be read whole, or nobody knows who speaks.
  if (kind === "message" && role === undefined) return null;
  return { kind, id, parentId: parentId ?? null, role };
}

/** The bytes that always hold a head that can be peeked at. */
export const LONGEST_HEAD = 400;

// Plain letters only: what is escaped or not ASCII is left to the parser.
const PLAIN = "[ !#-\\[\\]-~]{1,100}";
const HEAD = new RegExp(
  `^\\{"type":"([a-z_]{1,40})","id":"(${PLAIN})","parentId":(?:"(${PLAIN})"|null),"timestamp":"${PLAIN}"(?:,"message":\\{"role":"([a-zA-Z]{1,20})")?`,
);
