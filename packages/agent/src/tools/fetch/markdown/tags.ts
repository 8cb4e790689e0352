/** What the elements of a page mean to a reader: which stand by themselves, which are noise, which end by themselves. */

/** They begin a line of their own. */
export const blocks: ReadonlySet<string> = new Set(
  [
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure",
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search",
    "section summary table tbody td tfoot th thead tr ul",
  ].flatMap((line) => line.split(" ")),
);

/** They hold no page content, or not the part one came for. */
export const noise: ReadonlySet<string> = new Set(
  "audio button canvas datalist dialog footer map math nav object select svg template video".split(" "),
);

/** They have neither content nor end. */
export const voids: ReadonlySet<string> = new Set(
  "area base br col embed frame hr img input link meta param source track wbr".split(" "),
);

/** Their content is text to the parser, whatever it looks like. */
export const rawTexts: ReadonlySet<string> = new Set(
  "iframe noembed noframes plaintext script style textarea title xmp".split(" "),
);

export interface ImpliedEnd {
  /** What ends where the element begins. */
  readonly ends: ReadonlySet<string>;
  /** Beyond these nothing ends. */
  readonly within: ReadonlySet<string>;
}

/** What an element ends by beginning, as `<li>` does with the `<li>` before it. */
export function impliedEnd(tag: string): ImpliedEnd | null {
  return implied.get(tag) ?? (blocks.has(tag) ? endsParagraph : null);
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const endsParagraph: ImpliedEnd = { ends: set("p"), within: new Set([...blocks].filter((tag) => tag !== "p")) };
const endsCell: ImpliedEnd = { ends: set("td th"), within: set("tr table") };
const endsTerm: ImpliedEnd = { ends: set("dt dd"), within: set("dl") };
const endsRows: ImpliedEnd = { ends: set("thead tbody tfoot"), within: set("table") };

const implied: ReadonlyMap<string, ImpliedEnd> = new Map([
  ["a", { ends: set("a"), within: set("td th table") }],
  ["li", { ends: set("li"), within: set("ul ol menu") }],
  ["tr", { ends: set("tr"), within: set("table") }],
  ["td", endsCell],
  ["th", endsCell],
  ["dt", endsTerm],
  ["dd", endsTerm],
  ["thead", endsRows],
  ["tbody", endsRows],
  ["tfoot", endsRows],
]);

/** What is open outside a cell is not ended from inside. */
export const cells: ReadonlySet<string> = set("td th caption");
export const tableParts: ReadonlySet<string> = set("table thead tbody tfoot tr td th caption html body");
