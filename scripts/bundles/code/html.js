import { parser as css } from "@lezer/css";
import { configureNesting, parser as base } from "@lezer/html";
import { parser as script } from "@lezer/javascript";

/** HTML with the scripts and styles in it. */
export const parser = base.configure({ wrap: configureNesting([{ tag: "script", parser: script }, { tag: "style", parser: css }]) });
