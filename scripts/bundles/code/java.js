export { parser } from "@lezer/java";
