// Shows the data of the page, each kind with its own module.
import { algebraPage } from "./algebra.js";
import { boardPage } from "./board.js";
import { contextPage } from "./context.js";
import { h } from "./dom.js";
import { imagePage } from "./image.js";
import { livePanel } from "./live.js";
import { numberPage } from "./number.js";
import { tablePage } from "./table.js";
import { unpacked } from "./unpack.js";

async function start() {
  const root = document.getElementById("explorer");
  try {
    const data = JSON.parse(document.getElementById("data").textContent);
    if (data.kind === "table") tablePage(data, await unpacked(data.model), root);
    else if (data.kind === "number") numberPage(data, await unpacked(data.model), root);
    else if (data.kind === "image") imagePage(data, await unpacked(data.model), root);
    else if (data.kind === "board") boardPage(data, root);
    else if (data.kind === "context") contextPage(data, root);
    else algebraPage(data, root);
    if (data.live && data.live.uploads) root.prepend(livePanel(data.live));
  } catch (error) {
    root.replaceChildren(h("p", { class: "against", role: "alert" }, `This page could not be shown: ${error.message}`));
    throw error;
  }
}

start();
