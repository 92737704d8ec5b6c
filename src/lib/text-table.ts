export interface TableColumn {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** If the table is wider than the terminal, the cell moves to lines below its row: all of it (`whole`) or the first few lines (`cut`). */
  readonly below?: 'whole' | 'cut'
}

/** Escapes control characters, so that data can neither break lines nor control the terminal. */
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

/** Lines of a `cut` cell. */
const cutLines = 3
const indent = 4

/** A table for a terminal of this width in characters, and whether anything was cut. A table that fits is the result of `textTable`. */
export function fittedTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  terminalWidth: number,
): { readonly text: string; readonly isCut: boolean } {
  const whole = textTable(columns, rows)
  const isBelow = columns.map(({ below }) => below !== undefined)
  if (!isBelow.includes(true) || whole.split('\n').every((line) => width(line) <= terminalWidth))
    return { text: whole, isCut: false }
  const beside = <T>(cells: readonly T[]): T[] => cells.filter((_, index) => !isBelow[index])
  const [titles, ...heads] = textTable(beside(columns), rows.map(beside)).split('\n')
  let isCut = false
  const below = (row: readonly string[]): string[] =>
    columns.flatMap(({ title, below }, index) => {
      const cell = row[index] ?? ''
      if (below === undefined || cell === '') return []
      const lines = wrapped(`${title}: ${printable(cell)}`, Math.max(1, terminalWidth - indent))
      if (below === 'whole' || lines.length <= cutLines) return lines
      isCut = true
      const last = [...lines[cutLines - 1]!].slice(0, Math.max(1, terminalWidth - indent) - 1).join('')
      return [...lines.slice(0, cutLines - 1), `${last}…`]
    })
  const lines = rows.flatMap((row, index) => [heads[index]!, ...below(row).map((line) => ' '.repeat(indent) + line)])
  return { text: `${[titles, ...lines].join('\n')}\n`, isCut }
}

/** Lines of at most `widthMax` characters, broken at spaces if possible. */
function wrapped(text: string, widthMax: number): string[] {
  const characters = [...text]
  const lines: string[] = []
  let from = 0
  while (characters.length - from > widthMax) {
    let end = from + widthMax
    while (end > from + widthMax / 2 && characters[end] !== ' ') end--
    const isAtSpace = characters[end] === ' '
    if (!isAtSpace) end = from + widthMax
    lines.push(characters.slice(from, end).join(''))
    from = isAtSpace ? end + 1 : end
  }
  return [...lines, characters.slice(from).join('')]
}
