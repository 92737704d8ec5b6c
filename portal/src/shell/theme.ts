import { storeOf } from './store.ts'

const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const kept = 'tidemark.theme'
const darkSystem = matchMedia('(prefers-color-scheme: dark)')

function keptTheme(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(kept)) ?? 'system'
}

export const chosenTheme = storeOf<Theme>(keptTheme())
/** The theme in effect; charts use its colours. */
export const shownTheme = storeOf<'light' | 'dark'>('light')

export function applyTheme(): void {
  const chosen = chosenTheme.get()
  const dark = chosen === 'dark' || (chosen === 'system' && darkSystem.matches)
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
  shownTheme.set(dark ? 'dark' : 'light')
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(kept, theme)
  chosenTheme.set(theme)
  applyTheme()
}

darkSystem.addEventListener('change', applyTheme)
