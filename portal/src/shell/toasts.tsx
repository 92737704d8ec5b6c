import { storeOf, useStore } from './store.ts'

interface Toast {
  readonly id: number
  readonly text: string
}

const shown = storeOf<readonly Toast[]>([])
const shownMs = 6000
let made = 0

/** Shows a short message that something was done. */
export function notify(text: string): void {
  made += 1
  const toast = { id: made, text }
  shown.set([...shown.get(), toast])
  setTimeout(() => shown.set(shown.get().filter((other) => other !== toast)), shownMs)
}

export function Toasts() {
  const toasts = useStore(shown)
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text }) => (
        <div class="toast" key={id}>
          {text}
        </div>
      ))}
    </div>
  )
}
