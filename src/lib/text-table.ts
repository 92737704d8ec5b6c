export interface TableColumn {
  readonly title: string
  readonly align?: 'left' | 'right'
}

/** Control characters as escapes, so that data can neither break lines nor steer the terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function width(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A table for the terminal: a line of titles, a line for each row, columns as wide as their widest cell. */
export function textTable(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): string {
  const titles = columns.map((column) => column.title)
  const lines = [titles, ...rows].map((row) => columns.map((_, index) => printable(row[index] ?? '')))
  const widths = columns.map((_, index) => lines.reduce((most, line) => Math.max(most, width(line[index]!)), 0))
  const format = (line: readonly string[]): string =>
    line
      .map((cell, index) => {
        const padding = ' '.repeat(widths[index]! - width(cell))
        return columns[index]?.align === 'right' ? padding + cell : cell + padding
      })
      .join('  ')
      .trimEnd()
  return `${lines.map(format).join('\n')}\n`
}
