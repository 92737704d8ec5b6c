// The history of queries and the named queries, saved in this browser.

export interface SavedQuery {
  readonly name: string
  readonly text: string
  readonly mode: 'sql' | 'native'
}

const historyMax = 30

function read(key: string): readonly SavedQuery[] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(known) ? known : []
  } catch {
    return []
  }
}

const historyKey = 'tidemark.queries.run'
const savedKey = 'tidemark.queries.saved'

export const ranQueries = (): readonly SavedQuery[] => read(historyKey)
export const savedQueries = (): readonly SavedQuery[] => read(savedKey)

export function keepRun(query: SavedQuery): void {
  const others = ranQueries().filter(({ text }) => text !== query.text)
  localStorage.setItem(historyKey, JSON.stringify([query, ...others].slice(0, historyMax)))
}

export function saveQuery(query: SavedQuery): void {
  const others = savedQueries().filter(({ name }) => name !== query.name)
  localStorage.setItem(savedKey, JSON.stringify([...others, query].toSorted((a, b) => (a.name < b.name ? -1 : 1))))
}

export function forgetQuery(name: string): void {
  localStorage.setItem(savedKey, JSON.stringify(savedQueries().filter((query) => query.name !== name)))
}
