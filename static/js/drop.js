// Makes the whole .drop area take a dropped file, says what was chosen and, once htmx has had it checked, the
// verdict. The file input works without this.
"use strict";

for (const area of document.querySelectorAll(".drop")) {
  const input = area.querySelector("input[type=file]");
  const chosen = area.querySelector(".chosen");
  const largest = Number(area.dataset.largest);

  const size = (bytes) =>
    bytes < 1024 ? `${bytes} bytes`
      : bytes < 1048576 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1048576).toFixed(1)} MiB`;

  function say() {
    const file = input.files[0];
    if (!file) chosen.textContent = "";
    else if (largest && file.size > largest) {
      chosen.textContent = `${file.name} has ${size(file.size)}; a run may have ${size(largest)} at most.`;
    } else chosen.textContent = `${file.name}, ${size(file.size)}`;
  }

  input.addEventListener("change", say);
  input.addEventListener("htmx:beforeRequest", () => { chosen.textContent += " · checking…"; });
  input.addEventListener("htmx:afterRequest", () => {
    const verdict = document.querySelector("#outcome h2");
    say();
    if (verdict) chosen.textContent += ` · ${verdict.textContent}`;
  });
  for (const kind of ["dragenter", "dragover"]) {
    area.addEventListener(kind, (event) => {
      event.preventDefault();
      area.classList.add("over");
    });
  }
  for (const kind of ["dragleave", "drop"]) area.addEventListener(kind, () => area.classList.remove("over"));
  area.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) {
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
}
