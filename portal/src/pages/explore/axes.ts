// Assigns lines to value axes: lines of one unit share an axis.
import type { ValueAxis } from '../../parts/chart.tsx'

/** More axes would leave no space for the lines. */
const axesMax = 4

interface Placed {
  readonly axes: readonly ValueAxis[]
  /** The index of the axis of each line. */
  readonly places: readonly number[]
}

/** An axis per unit, alternating left and right, then those of lines moved to the right. From the fourth unit on, units share the last axis. */
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
