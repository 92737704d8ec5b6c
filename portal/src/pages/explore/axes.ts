// Which axis each line is drawn against: lines of one unit share one.
import type { ValueAxis } from '../../parts/chart.tsx'

/** More leave no room for the lines. */
const axesMax = 4

interface Placed {
  readonly axes: readonly ValueAxis[]
  /** Of each line, the place of its axis. */
  readonly places: readonly number[]
}

/** An axis for each unit, by turns at the left and at the right, then those of lines that were moved to the right; units that come fifth and later share the last one. */
export function axesOf(lines: readonly { readonly unit: string; readonly isMoved: boolean }[]): Placed {
  const kinds: { readonly unit: string; readonly isMoved: boolean }[] = []
  for (const { unit, isMoved } of [...lines].sort((a, b) => Number(a.isMoved) - Number(b.isMoved))) {
    if (!kinds.some((kind) => kind.unit === unit && kind.isMoved === isMoved)) kinds.push({ unit, isMoved })
  }
  const placeOf = (kind: number): number => Math.min(kind, axesMax - 1)
  const axes = kinds.slice(0, axesMax).map(({ isMoved }, place): ValueAxis => {
    const units = kinds.flatMap(({ unit }, kind) => (placeOf(kind) === place && unit !== '' ? [unit] : []))
    return { side: isMoved || place % 2 === 1 ? 'right' : 'left', label: [...new Set(units)].join(', ') }
  })
  const places = lines.map(({ unit, isMoved }) =>
    placeOf(kinds.findIndex((kind) => kind.unit === unit && kind.isMoved === isMoved)),
  )
  return { axes, places }
}
