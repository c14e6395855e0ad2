/* A button at each piece of code that a reader may want to copy. */
const copied = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  // a page from a disk or without https
  const area = document.body.appendChild(document.createElement("textarea"))
  area.value = text
  area.select()
  document.execCommand("copy")
  area.remove()
}

document.addEventListener("DOMContentLoaded", () => {
  for (const code of document.querySelectorAll("article div.highlight > pre")) {
    if (code.closest(".cell_output")) continue
    const button = document.createElement("button")
    button.className = "copy"
    button.type = "button"
    button.textContent = "Copy"
    button.setAttribute("aria-label", "Copy this code")
    button.addEventListener("click", async () => {
      await copied(code.textContent.trimEnd() + "\n")
      button.textContent = "Copied"
      setTimeout(() => (button.textContent = "Copy"), 1500)
    })
    code.parentElement.append(button)
  }
})
