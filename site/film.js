/* Buttons under each film: a step back, a step on, and play. They move the animations of the SVG itself; without them the
film runs on. */
const withButtons = async (image) => {
  const text = await (await fetch(image.src)).text()
  if (!text.includes('class="film')) return
  const film = document.createElement("figure")
  const stage = film.appendChild(document.createElement("div"))
  const root = stage.attachShadow({ mode: "open" })
  root.innerHTML = `<style>svg { max-width: 100%; height: auto }</style>${text}`
  const svg = root.querySelector("svg")
  const { frames, seconds } = svg.dataset
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches
  const parts = () => svg.getAnimations({ subtree: true })
  // a round later, for a time before 0 has no frame
  const begin = (part) => part.effect.getTiming().delay + 1000 * seconds * (1 + +frames)
  let timer
  const move = (by) => {
    clearTimeout(timer)
    const now = (parts()[0].currentTime - parts()[0].effect.getTiming().delay) / (1000 * seconds)
    const at = (Math.min(Math.floor(now % (1 + +frames)), frames - 1) + by + +frames) % frames
    for (const part of parts()) {
      part.pause()
      part.currentTime = 1000 * seconds * (at - (by > 0 && at && !still ? 0.3 : -0.1)) + begin(part)
      if (by > 0 && at && !still) part.play()
    }
    timer = setTimeout(() => parts().forEach((part) => part.pause()), 400 * seconds)
  }
  const play = () => { clearTimeout(timer); parts().forEach((part) => part.play()) }
  for (const [name, act] of [["Back", () => move(-1)], ["Step", () => move(1)], ["Play", play]]) {
    const button = film.appendChild(document.createElement("button"))
    button.textContent = name
    button.type = "button"
    button.addEventListener("click", act)
  }
  stage.setAttribute("role", "img")
  stage.setAttribute("aria-label", image.alt)
  film.className = "film"
  image.replaceWith(film)
}

document.addEventListener("DOMContentLoaded", () =>
  document.querySelectorAll('article img[src$=".svg"]:not(.thumbs img)').forEach((image) => withButtons(image).catch(() => {})))
