export { parser } from "@lezer/cpp";
