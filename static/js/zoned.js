// Under a date typed in some zone, say it in UTC and AoE before it is saved. The server judges; this only shows.
"use strict";

const AOE = "Etc/GMT+12";

function offsetAt(instant, zone) {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric",
    hour: "numeric", minute: "numeric", second: "numeric",
  }).formatToParts(instant);
  const part = (type) => Number(parts.find((one) => one.type === type).value);
  const shown = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return shown - Math.floor(instant / 1000) * 1000;
}

function instantOf(text, zone, wholeDay) {
  const found = /^\s*(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?\s*$/i.exec(text);
  if (!found) return null;
  const [year, month, day, hour, minute, second] = found.slice(1).map((digits) => Number(digits || 0));
  const lastDay = found[4] === undefined && wholeDay === "end" ? 1 : 0;
  const local = Date.UTC(year, month - 1, day + lastDay, hour, minute, second);
  const guess = local - offsetAt(local, zone);
  return local - offsetAt(guess, zone);
}

function inZone(instant, zone, withYear) {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone: zone, hourCycle: "h23", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
    ...(withYear ? { year: "numeric" } : {}),
  }).format(instant).replace(",", "");
}

for (const field of document.querySelectorAll(".zoned")) {
  const [text, zone, output] = [field.querySelector("input"), field.querySelector("select"), field.querySelector("output")];
  const show = () => {
    const instant = instantOf(text.value, zone.value === "AoE" ? AOE : zone.value, field.dataset.wholeDay);
    output.value = instant === null ? "" : `${inZone(instant, "UTC", true)} UTC (${inZone(instant, AOE)} AoE)`;
  };
  text.addEventListener("input", show);
  zone.addEventListener("change", show);
}
