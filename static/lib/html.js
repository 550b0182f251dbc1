// @ts-check
/** `html` templates: values become text nodes and attributes, never markup. */

import htm from "htm";
import { h } from "preact";

export const html = htm.bind(h);
