/** What fills the context, on a page: by kind, by tool, by file, and the biggest entries with what each would free. */

import { atTop, type Walk, walked } from "../../../widgets/list.ts";
import { goesOn, type Panel, type Pressed, type Sight } from "../../panel.ts";
import { pageLines } from "../../reading/page-lines.ts";
import { pager } from "../../reading/pager.ts";
import type { PagerState } from "../../reading/pager-state.ts";
import { type ContextPageParts, drawContext, rowsFor } from "./draw.ts";
import { rowsOf, type Tab, tabs } from "./rows.ts";

export interface ContextPageState {
  readonly tab: Tab;
  readonly walk: Walk;
  /** The entry that is being read. */
  readonly reading: { readonly page: Panel<PagerState, null>; readonly state: PagerState } | null;
}

export function contextPage(parts: ContextPageParts): Panel<ContextPageState, null> {
  return {
    start: { tab: "kind", walk: atTop, reading: null },
    press: (state, key, sight) =>
      state.reading ? whileReading(state, key, sight) : pressed(state, key, { parts, sight }),
    draw: ({ tab, walk, reading }, sight) =>
      reading ? reading.page.draw(reading.state, sight) : drawContext({ ...parts, tab, walk }, sight),
  };
}

type Reaction = Pressed<ContextPageState, null> | null;

function whileReading(state: ContextPageState, key: string, sight: Sight | undefined): Reaction {
  const { reading } = state;
  const read = reading?.page.press(reading.state, key, sight);
  if (reading && read?.type === "goes-on")
    return goesOn<ContextPageState>({ ...state, reading: { ...reading, state: read.state } });
  return key === "escape" || key === "q" ? goesOn<ContextPageState>({ ...state, reading: null }) : null;
}

interface Pressing {
  readonly parts: ContextPageParts;
  readonly sight: Sight | undefined;
}

function pressed(state: ContextPageState, key: string, { parts, sight }: Pressing): Reaction {
  const rows = rowsOf(parts.report, state.tab);
  const step = Object.hasOwn(STEPS, key) ? STEPS[key] : undefined;
  if (step !== undefined) return goesOn<ContextPageState>({ ...state, walk: atTop, tab: besides(state.tab, step) });
  const id = rows[state.walk.at]?.id;
  if (key === "enter" && id !== undefined) return goesOn<ContextPageState>({ ...state, reading: opened(id, parts) });
  const moved = walked(state.walk, key, { count: rows.length, rows: rowsFor(sight?.height ?? HEIGHT, parts.next) });
  return moved && goesOn<ContextPageState>({ ...state, walk: moved });
}

const HEIGHT = 24;

const STEPS: Readonly<Record<string, number>> = { tab: 1, right: 1, left: -1, "shift+tab": -1 };

function besides(tab: Tab, step: number): Tab {
  return tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length] ?? "kind";
}

function opened(id: string, { entryText }: ContextPageParts): NonNullable<ContextPageState["reading"]> {
  const text = entryText(id);
  const page = pager({ title: `Entry ${id}`, lines: (width) => pageLines(text, width) });
  return { page, state: page.start };
}
