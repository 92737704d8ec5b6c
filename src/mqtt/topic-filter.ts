const longestBytes = 65_535

/** Why no broker takes a filter to subscribe to; null where it may. */
export function filterFault(filter: string): string | null {
  if (filter === '') return 'it is empty'
  if (new TextEncoder().encode(filter).length > longestBytes) return `it is longer than ${longestBytes} bytes`
  if (filter.includes('\0')) return 'it has a character of code 0'
  const levels = filter.split('/')
  const rest = levels.findIndex((level) => level.includes('#'))
  if (rest !== -1 && levels[rest] !== '#') return `# stands alone between slashes, and not in "${levels[rest]}"`
  if (rest !== -1 && rest !== levels.length - 1) return '# is the rest of a topic, and nothing may follow it'
  const mixed = levels.find((level) => level.includes('+') && level !== '+')
  return mixed === undefined ? null : `+ stands alone between slashes, and not in "${mixed}"`
}
