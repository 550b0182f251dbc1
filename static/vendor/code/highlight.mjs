import{j as g,k as h,l as t}from"./shared-DIL73FS4.mjs";export{h as highlightTree,g as tagHighlighter,t as tags};
