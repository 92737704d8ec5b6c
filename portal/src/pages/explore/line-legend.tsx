import { useMemo, useState } from 'preact/hooks'
import { dashedFrom, lineColor, type ValueAxis } from '../../parts/chart.tsx'
import { valueText } from '../../parts/formats.ts'
import { clockText } from '../../parts/zoned-time.ts'
import { useStore } from '../../shell/store.ts'
import { shownTheme } from '../../shell/theme.ts'
import type { Cursors } from './cursors.ts'
import type { Lines } from './lines.ts'
import { difference, extremes, isRounded, itemAt, shownOf, valueIn } from './shown-values.ts'

interface Props {
  readonly lines: Lines
  /** The unit of each name, from metadata. */
  readonly units: readonly string[]
  /** Whether the values of each name are longs. */
  readonly longs: readonly boolean[]
  /** The side of the axis of each name; null if the axis has no space. */
  readonly axisSides: readonly (ValueAxis['side'] | null)[]
  readonly zone: string
  readonly fromSecond: number
  /** The end of the range. */
  readonly untilSecond: number
  /** The names of lines that were moved to an axis at the right. */
  readonly right: readonly string[]
  /** The data index under the pointer; null shows the newest values. */
  readonly cursor: number | null
  /** If set, the differences between the cursors are shown. */
  readonly cursors: Cursors | null
  /** The names of hidden lines. */
  readonly hidden: ReadonlySet<string>
  onHide(names: ReadonlySet<string>): void
  /** Called with the line to highlight while the pointer or the focus is on it. */
  onFocus(place: number | null): void
  /** Moves a line to an axis at the right; absent if lines cannot be moved. */
  onRight?(name: string): void
}

interface Entry {
  readonly place: number
  readonly name: string
  readonly unit: string
  readonly value: number | null
  readonly sides: readonly (number | null)[]
  readonly least: number | null
  readonly greatest: number | null
}

const sorts = ['name', 'value', 'least', 'greatest'] as const
type Sort = { readonly by: (typeof sorts)[number]; readonly isDown: boolean } | null

function sorted(entries: readonly Entry[], sort: Sort): readonly Entry[] {
  if (sort === null) return entries
  const sign = sort.isDown ? -1 : 1
  const of = ({ [sort.by]: value }: Entry): string | number => value ?? Number.NEGATIVE_INFINITY
  return entries.toSorted((a, b) => (of(a) < of(b) ? -sign : of(a) > of(b) ? sign : 0))
}

/** All known digits of a value, for a tooltip. */
function digitsOf(value: number | null, isLong: boolean): string | undefined {
  if (value === null) return undefined
  return isRounded(value, isLong) ? 'Rounded: the table of items has all digits.' : String(value)
}

export const textOf = (value: number | null): string => (value === null ? '–' : valueText(value))

/** The lines as a table: colour, unit, value, least and greatest. A click on a name hides its line; the pointer highlights it. */
export function LineLegend(props: Props) {
  const {
    lines,
    units,
    longs,
    axisSides,
    zone,
    fromSecond,
    untilSecond,
    right,
    cursor,
    cursors,
    hidden,
    onHide,
    onFocus,
    onRight,
  } = props
  const theme = useStore(shownTheme)
  const [sort, setSort] = useState<Sort>(null)
  const second = cursor === null ? null : lines.data[0][cursor]
  const at = second == null ? { fromSecond, untilSecond } : cursor!
  // Does not depend on the position of the pointer.
  const allEnds = useMemo(
    () => lines.names.map((_, place) => extremes(lines, place, fromSecond, untilSecond)),
    [lines, fromSecond, untilSecond],
  )
  const entries = lines.names.map((name, place): Entry => {
    const band = lines.bands.find(({ low }) => lines.lines[low]?.color === place)
    const ends = allEnds[place]
    return {
      ...{ place, name, unit: units[place] ?? '', value: shownOf(lines, place, at) },
      sides: band === undefined ? [] : [valueIn(lines, band.low, at), valueIn(lines, band.high, at)],
      ...{ least: ends?.[0] ?? null, greatest: ends?.[1] ?? null },
    }
  })
  const titles = {
    ...{ name: 'Line', value: second == null ? 'Newest' : clockText(second * 1000, zone) },
    ...{ least: 'Least', greatest: 'Greatest' },
  }
  const head = (by: (typeof sorts)[number]) => (
    <th
      key={by}
      scope="col"
      class={by === 'name' ? undefined : 'right'}
      aria-sort={sort?.by === by ? (sort.isDown ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        class="as-link"
        onClick={() => setSort({ by, isDown: sort?.by === by ? !sort.isDown : by !== 'name' })}
      >
        {titles[by]}
        {sort?.by === by && (sort.isDown ? ' ↓' : ' ↑')}
      </button>
    </th>
  )
  const hide = (name: string): void => {
    const next = new Set(hidden)
    if (!next.delete(name)) next.add(name)
    onHide(next)
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by keyboard.
    <section class="table-frame line-table" aria-label="Lines" tabIndex={0}>
      <table class="table slim">
        <thead>
          <tr>
            {head('name')}
            {head('value')}
            {head('least')}
            {head('greatest')}
            {cursors !== null &&
              ['A', 'B', 'B − A'].map((name) => (
                <th key={name} scope="col" class="right">
                  {name}
                </th>
              ))}
            {onRight && <th scope="col">Axis</th>}
          </tr>
        </thead>
        <tbody>
          {sorted(entries, sort).map(({ place, name, unit, value, sides, least, greatest }) => (
            <tr
              class={hidden.has(name) ? 'line-row off' : 'line-row'}
              key={name}
              onPointerEnter={() => onFocus(place)}
              onPointerLeave={() => onFocus(null)}
            >
              <td class="line-name">
                <button
                  type="button"
                  class="as-link"
                  aria-pressed={!hidden.has(name)}
                  title={hidden.has(name) ? 'Draw it' : 'Hide it'}
                  onFocus={() => onFocus(place)}
                  onBlur={() => onFocus(null)}
                  onClick={() => hide(name)}
                >
                  <i
                    style={{
                      borderTopColor: lineColor(place, theme),
                      borderTopStyle: place >= dashedFrom ? 'dashed' : 'solid',
                    }}
                  />
                  <bdi>{name}</bdi>
                </button>
              </td>
              <td class="right" title={digitsOf(value, longs[place]!)}>
                <strong>{textOf(value)}</strong>
                {sides.length > 0 && <span class="soft"> {sides.map(textOf).join(' … ')}</span>}
                {unit !== '' && <span class="soft"> {unit}</span>}
              </td>
              <td class="right" title={digitsOf(least, longs[place]!)}>
                {textOf(least)}
              </td>
              <td class="right" title={digitsOf(greatest, longs[place]!)}>
                {textOf(greatest)}
              </td>
              {cursors !== null && <AtCursors {...{ lines, place, cursors, zone }} isLong={longs[place]!} />}
              {onRight && (
                <td>
                  <button
                    type="button"
                    class="as-link"
                    aria-pressed={right.includes(name)}
                    aria-label={axisSides[place] ? `${axisSides[place]} axis: ${name}` : `axis not shown: ${name}`}
                    title="Draw it against its own axis at the right"
                    onClick={() => onRight(name)}
                  >
                    {axisSides[place] ?? 'not shown'}
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {lines.left > 0 && <p class="soft small inside">{lines.left} more lines are only in the table of items.</p>}
    </section>
  )
}

interface AtCursorsProps {
  readonly lines: Lines
  readonly place: number
  readonly cursors: Cursors
  readonly zone: string
  readonly isLong: boolean
}

/** The item of a line at each of two cursors, with its time if that differs from the cursor's, and the difference of the values. */
function AtCursors({ lines, place, cursors, zone, isLong }: AtCursorsProps) {
  const seconds = [cursors.a, cursors.b]
  const items = seconds.map((second) => itemAt(lines, place, lines.data[0].indexOf(second)))
  const [a = null, b = null] = items
  const between = difference(a, b, isLong)
  const isTooLarge = between === null && a !== null && b !== null
  return (
    <>
      {items.map((item, cursor) => (
        <td key={cursor} class="right" title={digitsOf(item?.value ?? null, isLong)}>
          {textOf(item?.value ?? null)}
          {item !== null && item.second !== seconds[cursor] && (
            <div class="soft small">{clockText(item.second * 1000, zone)}</div>
          )}
        </td>
      ))}
      <td class="right" title={isTooLarge ? 'Too large to be subtracted exactly.' : digitsOf(between, isLong)}>
        <strong>{textOf(between)}</strong>
      </td>
    </>
  )
}
