// Follows a campaign: asks for the page again and puts its main part in place.
"use strict";
const every = 2000;
const lost = document.querySelector("#lost");

async function follow() {
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.querySelector("main"), main = document.querySelector("main");
    if (next && next.innerHTML !== main.innerHTML) main.replaceWith(next);
    document.title = page.title;
    lost.hidden = true;
  } catch {
    lost.hidden = false;
  }
  setTimeout(follow, every);
}
setTimeout(follow, every);
