// Adds the visitor's own zone to every <time data-own>, and keeps "in 2 days 4 hours" true while the page is open.
"use strict";

(() => {
  // The server's moment, and since then the visitor's clock, which goes on while a computer sleeps as
  // performance.now() need not. A page the browser kept brings a moment long gone: then the visitor's clock alone.
  const [arrival] = performance.getEntriesByType("navigation");
  const kept = arrival !== undefined && arrival.transferSize === 0;
  const served = kept ? NaN : Date.parse(document.documentElement.dataset.now);
  const started = Date.now();
  const now = () => (Number.isNaN(served) ? Date.now() : served + (Date.now() - started));

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
      const text = seconds >= 0 ? `in ${span(seconds)}` : `${span(-seconds)} ago`;
      if (element.textContent !== text) element.textContent = text;
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
  setInterval(() => countDown(document), 1000);
  document.addEventListener("htmx:load", (event) => {
    localise(event.target);
    countDown(event.target);
  });
})();
