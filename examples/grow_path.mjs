// A path that grows, followed from JavaScript: `node examples/grow_path.mjs URL TOPIC [TOKEN]`, or the same in a browser.
const [url, topic, token] = process.argv.slice(2);
const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
const send = (path, body) => fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
const { id: branchId } = await (await send("/api/branches", { title: topic })).json();
const { id: topicId } = await (await send("/api/nodes", { type: "root", title: topic, branchId })).json();
const events = await send(`/api/agents/topics/${topicId}/run`, { small: true });
let text = "";
for await (const part of events.body.pipeThrough(new TextDecoderStream())) {
  const blocks = (text += part).split("\n\n"); // each has the lines `id: …`, `event: …` and `data: …`
  text = blocks.pop();
  for (const block of blocks) console.log(block.match(/^event: (.*)/m)?.[1] ?? "");
}
