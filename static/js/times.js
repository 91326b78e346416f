// Adds the visitor's own zone to every <time data-own>, and keeps "in 2 days 4 hours" true while the page is open.
"use strict";

(() => {
  const served = Date.parse(document.documentElement.dataset.now);
  const started = performance.now();
  const now = () => (Number.isNaN(served) ? Date.now() : served + (performance.now() - started));

  const own = new Intl.DateTimeFormat("en-GB", {
    weekday: "short", day: "numeric", month: "long", year: "numeric",
    hour: "2-digit", minute: "2-digit", timeZoneName: "short",
  });
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];

  function span(seconds) {
    const parts = [];
    let left = Math.floor(seconds);
    for (const [name, size] of units) {
      const count = Math.floor(left / size);
      left -= count * size;
      if (count > 0) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`);
      if (parts.length === 2) break;
    }
    return parts.join(" ") || "less than a minute";
  }

  function countDown(root) {
    for (const element of root.querySelectorAll("[data-until]")) {
      const seconds = (Date.parse(element.dataset.until) - now()) / 1000;
      element.textContent = seconds >= 0 ? `in ${span(seconds)}` : `${span(-seconds)} ago`;
    }
  }

  function localise(root) {
    for (const element of root.querySelectorAll("time[data-own]")) {
      const moment = new Date(element.dateTime);
      if (element.dataset.own === "text") element.textContent = own.format(moment);
      else element.title = own.format(moment);
    }
  }

  localise(document);
  countDown(document);
  setInterval(() => countDown(document), 15000);
  document.addEventListener("htmx:load", (event) => {
    localise(event.target);
    countDown(event.target);
  });
})();
