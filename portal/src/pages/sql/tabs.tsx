import { storeOf } from '../../shell/store.ts'

/** Drafts that are open in this browser tab, by number. */
interface Tabs {
  readonly open: readonly number[]
  readonly shown: number
}

const kept = 'tidemark.tabs'
/** Limited because each has its own draft and result. */
const tabsMax = 10

function keptTabs(): Tabs {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(kept) ?? 'null')
    const open: unknown = Reflect.get(Object(value), 'open')
    const shown: unknown = Reflect.get(Object(value), 'shown')
    if (Array.isArray(open) && open.every(Number.isInteger) && open.includes(shown))
      return { open, shown: Number(shown) }
  } catch {
    // Without storage, start with one draft.
  }
  return { open: [1], shown: 1 }
}

export const tabs = storeOf(keptTabs())

function show(next: Tabs): void {
  tabs.set(next)
  try {
    sessionStorage.setItem(kept, JSON.stringify(next))
  } catch {
    // The tabs last until the page is left.
  }
}

export function TabBar({ open, shown }: Tabs) {
  const close = (tab: number): void => {
    const left = open.filter((one) => one !== tab)
    show({ open: left, shown: tab === shown ? left.at(-1)! : shown })
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in one line everywhere.
    <div class="actions query-tabs" role="group" aria-label="Drafts">
      {open.map((tab) => (
        <span key={tab} class="query-tab">
          <button
            type="button"
            class="button slim"
            aria-pressed={tab === shown}
            onClick={() => show({ open, shown: tab })}
          >
            Draft {tab}
          </button>
          {open.length > 1 && (
            <button
              type="button"
              class="button plain slim"
              aria-label={`Close draft ${tab}`}
              onClick={() => close(tab)}
            >
              ×
            </button>
          )}
        </span>
      ))}
      <button
        type="button"
        class="button slim"
        disabled={open.length >= tabsMax}
        title={open.length >= tabsMax ? `There are ${tabsMax} already, the maximum` : undefined}
        onClick={() => {
          const tab = Math.max(...open) + 1
          show({ open: [...open, tab], shown: tab })
        }}
      >
        New draft
      </button>
    </div>
  )
}
