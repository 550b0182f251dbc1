export { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
