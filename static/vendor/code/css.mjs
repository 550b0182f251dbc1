import{a as r}from"./shared-7YJK3ENJ.mjs";import"./shared-XP5FFPFA.mjs";import"./shared-DIL73FS4.mjs";export{r as parser};
