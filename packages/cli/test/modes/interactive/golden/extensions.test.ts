/** Golden screens of what extensions ask and show. */

import {
  createConfirmPanel,
  createInputPanel,
  createSearchPanel,
  createSelectPanel,
} from "../../../../src/modes/interactive/panels/extension-prompts.ts";
import { emptyExtensionWidgets, withStatus, withWidget } from "../../../../src/modes/interactive/state/screen-state.ts";
import { golden, type TestScreen } from "./golden.ts";

/** A status and a widget, as most would use them. */
function signed({ screen }: TestScreen): void {
  const status = withStatus(withStatus(emptyExtensionWidgets, "tests", "tests: 3 fail"), "build", "build: green");
  const signs = withWidget(status, "todo", ["To do", "  [x] read the parser", "  [ ] write the test"]);
  screen.update((state) => ({ ...state, extensionWidgets: signs }));
  screen.showNote("The build is green again.");
}

golden("a status and a widget of an extension", signed);

golden("a question of an extension with a few options", (shown) => {
  signed(shown);
  void shown.screen.showPanel(createSelectPanel("Deploy to which place?", ["staging", "production"]), {
    where: "inline",
  });
});

golden("a question of an extension with many options", ({ screen }) => {
  const rows = Array.from({ length: 40 }, (_, at) => `server ${at + 1}`);
  void screen.showPanel(createSearchPanel("Which server?", rows), { where: "inline" });
});

golden("a confirmation of an extension", ({ screen }) => {
  const message =
    "Everything below dist is removed. It can be built again, which takes about four minutes on this machine.";
  void screen.showPanel(createConfirmPanel("Remove what was built?", message), { where: "inline" });
});

golden("a text input of an extension", ({ screen }) => {
  void screen.showPanel(createInputPanel("What shall the branch be called?", "fix/login"), { where: "inline" });
});
